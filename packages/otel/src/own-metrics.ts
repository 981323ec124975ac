import type { Attributes, Counter, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { CallEvent, CallInfo, Gauge, RefusalEvent, StoreEvent, TaskAbortEvent } from '@sigil/core';
import type { EventLoopDelay } from './options.js';

/** The buckets for the latency of stores, in seconds. Most stores answer faster than any call. */
const STORE_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** The highest attempt number that has its own time series, because `tasks.maxAttempts` may be any number. */
const MAX_ATTEMPT = 10;

/**
 * Sigil's own metrics, which OpenTelemetry's conventions do not define: refusals, store latency, and the sizes of
 * queues and tables.
 */
export class OwnMetrics {
  readonly #meter: Meter;
  readonly #refusals: Counter;
  readonly #stores: Histogram;
  readonly #runs: Counter;
  readonly #aborts: Counter;

  constructor(meter: Meter, eventLoopDelay: EventLoopDelay | undefined) {
    this.#meter = meter;
    this.#refusals = meter.createCounter('sigil.refusals', {
      description: 'Requests that were refused before their handler ran.',
      unit: '{request}',
    });
    this.#stores = meter.createHistogram('sigil.store.duration', {
      description: 'How long stores take to answer.',
      unit: 's',
      advice: { explicitBucketBoundaries: STORE_BUCKETS },
    });
    this.#runs = meter.createCounter('sigil.task.runs', {
      description: 'Started runs of tasks.',
      unit: '{run}',
    });
    this.#aborts = meter.createCounter('sigil.task.aborts', {
      description: 'Aborted runs of tasks, and tasks that failed outside of a run.',
      unit: '{run}',
    });
    if (eventLoopDelay) this.#measureLoop(eventLoopDelay);
  }

  /**
   * Counts a run of a task at its beginning. If the process dies, no duration is recorded, so a later count would miss
   * the run.
   */
  started(call: CallInfo): void {
    if (!call.task) return;
    const attempt = Math.min(call.task.attempt, MAX_ATTEMPT);
    this.#runs.add(1, { ...toolOf(call), 'sigil.task.attempt': attempt });
  }

  /**
   * Counts an aborted run of a task, or a task that failed outside of a run, for example after several processes died
   * during a run.
   */
  taskAborted(event: TaskAbortEvent): void {
    const { abortedBy, hasFailed } = event;
    const why = { 'sigil.task.aborted_by': abortedBy, 'sigil.task.failed': hasFailed };
    this.#aborts.add(1, { ...toolOf(event), ...why });
  }

  /** Counts a refused call. */
  called({ refusedBy, error }: CallEvent): void {
    if (!refusedBy) return;
    const reason = refusedBy === 'quota' ? { 'sigil.refusal.reason': error?.message } : {};
    this.#refusals.add(1, { 'sigil.refused_by': refusedBy, ...reason });
  }

  /** Counts a request that the transport refused. */
  refused({ by, reason, status }: RefusalEvent): void {
    const attributes = { 'sigil.refused_by': by, 'sigil.refusal.reason': reason };
    this.#refusals.add(1, { ...attributes, 'http.response.status_code': status });
  }

  /** Records how long an operation of a store took, and its error. */
  storeAsked({ part, operation, ms, error }: StoreEvent): void {
    const attributes: Attributes = { 'sigil.store.part': part, 'sigil.store.operation': operation };
    if (error !== undefined) attributes['error.type'] = error instanceof Error ? error.name : '_OTHER';
    this.#stores.record(ms / 1000, attributes);
  }

  /** Registers a gauge, which is read whenever metrics are collected. */
  gaugeAdded(gauge: Gauge): void {
    const { name, description, unit, isCounter } = gauge;
    const options = { description, unit };
    const instrument = isCounter
      ? this.#meter.createObservableCounter(name, options)
      : this.#meter.createObservableGauge(name, options);
    instrument.addCallback(async (result) => {
      const sums = new Map<string, { value: number; attributes: Attributes }>();
      for (const { value, attributes = {} } of await gauge.read()) {
        const key = JSON.stringify(attributes);
        sums.set(key, { attributes, value: value + (sums.get(key)?.value ?? 0) });
      }
      for (const { value, attributes } of sums.values()) result.observe(value, attributes);
    });
  }

  /** Measures the event loop under the names of OpenTelemetry's conventions for Node. */
  #measureLoop(delay: EventLoopDelay): void {
    const gauge = (what: string, description: string): Observable =>
      this.#meter.createObservableGauge(`nodejs.eventloop.delay.${what}`, { description, unit: 's' });
    const p50 = gauge('p50', 'Event loop 50 percentile delay.');
    const p99 = gauge('p99', 'Event loop 99 percentile delay.');
    const max = gauge('max', 'Event loop maximum delay.');
    this.#meter.addBatchObservableCallback(
      (result) => {
        result.observe(p50, delay.percentile(50) / 1e9);
        result.observe(p99, delay.percentile(99) / 1e9);
        result.observe(max, delay.max / 1e9);
        delay.reset();
      },
      [p50, p99, max],
    );
  }
}

/** Returns the attribute for the tool of a run, if the server still has this tool. */
function toolOf({ name, isKnownName }: CallInfo): Attributes {
  return isKnownName && name !== undefined ? { 'gen_ai.tool.name': name } : {};
}

import { type Histogram, metrics, trace } from '@opentelemetry/api';
import type {
  App,
  CallEvent,
  CallInfo,
  Gauge,
  Observer,
  RefusalEvent,
  SessionEvent,
  StoreEvent,
  TaskAbortEvent,
} from '@sigil/core';
import { attributesOf } from './attributes.js';
import { CallSpan, type SpanParts } from './call-span.js';
import { OwnMetrics } from './own-metrics.js';
import { sessionValuesOf } from './values.js';
import { checkOptions, type TelemetryOptions } from './options.js';

const SCOPE = '@sigil/otel';

/** The buckets of the conventions, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Traces and measures an app according to OpenTelemetry's conventions for MCP. It records a span and a duration for
 * each call, each run of a task and each request to a client.
 *
 * @param app the result of `createApp`. Register the OpenTelemetry SDK before you call `telemetry`, or pass
 *   `meterProvider`. Otherwise, no metrics are recorded.
 * @returns a function that stops the telemetry.
 * @throws DefinitionError when an option is unknown.
 * @example
 * ```ts
 * const app = await createApp({ name: 'weather', version: '1.0.0', services: [Weather] });
 * telemetry(app);
 * await app.run();
 * ```
 */
export function telemetry(app: Pick<App, 'observe'>, options: TelemetryOptions = {}): () => void {
  checkOptions(options);
  return app.observe(new Telemetry(options));
}

/** Observes an app. */
class Telemetry implements Observer {
  readonly #parts: SpanParts;
  readonly #sessions: Histogram;
  readonly #own: OwnMetrics;
  readonly #shutdown: TelemetryOptions['shutdown'];

  constructor(options: TelemetryOptions) {
    const { tracerProvider = trace, meterProvider = metrics } = options;
    const meter = meterProvider.getMeter(SCOPE);
    const durations = (name: string, description: string): Histogram =>
      meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: BUCKETS } });
    const own = new OwnMetrics(meter, options.eventLoopDelay);
    this.#own = own;
    this.#shutdown = options.shutdown;
    this.#parts = {
      options,
      own,
      tracer: tracerProvider.getTracer(SCOPE),
      calls: durations('mcp.server.operation.duration', 'How long requests of clients take.'),
      clientRequests: durations('mcp.client.operation.duration', 'How long clients take to answer requests.'),
      taskRuns: durations('sigil.task.run.duration', 'How long runs of tasks take.'),
    };
    this.#sessions = durations('mcp.server.session.duration', 'How long sessions are open.');
  }

  callStarted(call: CallInfo): CallSpan {
    this.#own.started(call);
    return new CallSpan(this.#parts, call);
  }

  callRefused(event: CallEvent): void {
    new CallSpan(this.#parts, event).ended(event);
  }

  sessionEnded(event: SessionEvent): void {
    const attributes = attributesOf('mcp.server.session.duration', sessionValuesOf(event), false);
    this.#sessions.record(event.ms / 1000, attributes);
  }

  taskAborted(event: TaskAbortEvent): void {
    this.#own.taskAborted(event);
  }

  refused(event: RefusalEvent): void {
    this.#own.refused(event);
  }

  storeAsked(event: StoreEvent): void {
    this.#own.storeAsked(event);
  }

  gaugeAdded(gauge: Gauge): void {
    this.#own.gaugeAdded(gauge);
  }

  async close(): Promise<void> {
    await this.#shutdown?.();
  }
}

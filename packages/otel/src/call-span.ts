import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type {
  CallEvent,
  CallInfo,
  CallObservation,
  ClientRequestInfo,
  ClientRequestObservation,
  Trace,
} from '@sigil/core';
import { attributesOf, type Values } from './attributes.js';
import { clientEndOf, clientValuesOf, type End, endOf, measuredOf, tracedOf } from './values.js';
import type { Redactor, TelemetryOptions } from './options.js';
import type { OwnMetrics } from './own-metrics.js';
import { parentOf, traceOf } from './parents.js';

/** The tracer, instruments and options that all spans of an app share. */
export interface SpanParts {
  readonly options: TelemetryOptions;
  readonly tracer: Tracer;
  readonly calls: Histogram;
  readonly clientRequests: Histogram;
  readonly taskRuns: Histogram;
  readonly own: OwnMetrics;
}

/** The span of a call, or of a run of a task. */
export class CallSpan implements CallObservation {
  readonly #parts: SpanParts;
  readonly #values: Values;
  readonly #span: Span;
  readonly #context: Context;
  /** The attributes of the duration metric that are known when the call begins. */
  readonly #measured: Attributes;
  #trace: Trace | undefined;

  constructor(parts: SpanParts, call: CallInfo) {
    this.#parts = parts;
    const values = measuredOf(call);
    this.#values = values;
    const { context: parent, links } = parentOf(call);
    // A task outlives its request: its run is an execution of the tool, not a message.
    const kind = call.task ? SpanKind.INTERNAL : SpanKind.SERVER;
    const name = call.task ? 'execute_tool' : values.method;
    const { resourceUris = false } = parts.options;
    const target = values.tool ?? values.prompt ?? (resourceUris ? values.uri : undefined);
    const attributes = attributesOf('mcp.server.operation.duration', values, resourceUris);
    const spanName = target === undefined ? `${name}` : `${name} ${target}`;
    const span = parts.tracer.startSpan(spanName, { kind, links, attributes }, parent);
    if (span.isRecording()) {
      span.setAttributes(attributesOf('mcp.server', { ...values, ...tracedOf(call) }, false));
      span.setAttribute('sigil.call.id', call.id);
      if (call.task)
        span.setAttributes({ 'sigil.task.id': call.task.id, 'sigil.task.attempt': call.task.attempt });
    }
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.#measured = attributes;
  }

  /**
   * The ids of the span. Log lines contain these ids. If the call submits a task, the spans of the task's runs link to
   * this span.
   */
  get trace(): Trace | undefined {
    return (this.#trace ??= traceOf(this.#span.spanContext()));
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  clientRequest(request: ClientRequestInfo): ClientRequestObservation {
    const { tracer, clientRequests } = this.#parts;
    const values = clientValuesOf(request, this.#values);
    const attributes = attributesOf('mcp.client', values, false);
    const active = context.active();
    // The handler may have begun its own span.
    const parent = trace.getSpan(active) ? active : this.#context;
    const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes }, parent);
    const meta: Record<string, string> = {};
    propagation.inject(trace.setSpan(parent, span), meta);
    const startedAt = performance.now();
    return {
      meta,
      ended(error) {
        const end = clientEndOf(error);
        finish(span, end);
        const seconds = (performance.now() - startedAt) / 1000;
        const measured = attributesOf('mcp.client.operation.duration', { ...values, ...end }, false);
        clientRequests.record(seconds, measured);
      },
    };
  }

  ended(event: CallEvent): void {
    const { calls, taskRuns, own } = this.#parts;
    own.called(event);
    const end = endOf(event);
    try {
      if (this.#span.isRecording()) this.#record(event);
    } finally {
      finish(this.#span, end);
      const durations = event.task ? taskRuns : calls;
      durations.record(event.ms / 1000, end ? { ...this.#measured, ...endAttributes(end) } : this.#measured);
    }
  }

  /**
   * Records the attributes that only spans have: the outcome and, if the options ask for them, the arguments and the
   * result.
   */
  #record(event: CallEvent): void {
    const { recordInputs, recordOutputs } = this.#parts.options;
    const { outcome, refusedBy, params } = event;
    const span = this.#span;
    span.setAttribute('sigil.call.outcome', outcome);
    if (refusedBy) span.setAttribute('sigil.call.refused_by', refusedBy);
    const { tool, prompt } = this.#values;
    const given = recordInputs ? redacted(recordInputs, params['arguments'], event) : undefined;
    if (tool !== undefined) {
      const output =
        recordOutputs && outcome === 'ok' ? redacted(recordOutputs, event.result(), event) : undefined;
      span.setAttributes(attributesOf('mcp.server', { input: textOf(given), output: textOf(output) }, true));
    } else if (prompt !== undefined && typeof given === 'object' && given !== null)
      for (const [name, value] of Object.entries(given))
        span.setAttribute(
          `gen_ai.prompt.variable.${name}`,
          typeof value === 'string' ? value : (textOf(value) ?? ''),
        );
  }
}

/** Ends a span as the conventions require: it has failed if it has an `error.type`. */
function finish(span: Span, end: End | undefined): void {
  if (end) span.setAttributes(endAttributes(end));
  if (end?.errorType !== undefined) {
    const { message } = end;
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
  }
  span.end();
}

function endAttributes({ errorType, statusCode }: End): Attributes {
  return attributesOf('mcp.server.operation.duration', { errorType, statusCode }, false);
}

function redacted(how: true | Redactor, value: unknown, call: CallInfo): unknown {
  return how === true ? value : how(value, call);
}

/** Returns a value as text. Attributes cannot be objects; the conventions allow JSON. */
function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

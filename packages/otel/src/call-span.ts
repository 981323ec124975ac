import {
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
import { clientEndOf, clientValuesOf, type End, endOf, valuesOf } from './values.js';
import type { Redactor, TelemetryOptions } from './options.js';
import { parentOf, traceOf } from './parents.js';

/** What all spans of an app are made of. */
export interface SpanParts {
  readonly options: TelemetryOptions;
  readonly tracer: Tracer;
  readonly calls: Histogram;
  readonly clientRequests: Histogram;
  readonly taskRuns: Histogram;
}

/** The span of a call, or of a run of a task. */
export class CallSpan implements CallObservation {
  /** What logs name, and what a task that it submits is linked to. */
  readonly trace: Trace | undefined;
  readonly #parts: SpanParts;
  readonly #values: Values;
  readonly #span: Span;
  readonly #context: Context;

  constructor(parts: SpanParts, call: CallInfo) {
    this.#parts = parts;
    const values = valuesOf(call);
    this.#values = values;
    const { context: parent, links } = parentOf(call);
    // A task goes on after its request: its run is an execution of the tool, and no message.
    const kind = call.task ? SpanKind.INTERNAL : SpanKind.SERVER;
    const name = call.task ? 'execute_tool' : values.method;
    const uri = parts.options.resourceUris === true ? values.uri : undefined;
    const target = values.tool ?? values.prompt ?? uri;
    const attributes = attributesOf('mcp.server.operation.duration', values, false);
    const span = parts.tracer.startSpan(
      target === undefined ? `${name}` : `${name} ${target}`,
      { kind, links, attributes },
      parent,
    );
    if (span.isRecording()) {
      span.setAttributes(attributesOf('mcp.server', values, false));
      span.setAttribute('sigil.call.id', call.id);
      if (call.task) span.setAttribute('sigil.task.id', call.task.id);
    }
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.trace = traceOf(span.spanContext());
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  clientRequest(request: ClientRequestInfo): ClientRequestObservation {
    const { tracer, clientRequests } = this.#parts;
    const values = clientValuesOf(request);
    const attributes = attributesOf('mcp.client', values, false);
    const active = context.active();
    // The handler may have begun a span of its own.
    const parent = trace.getSpan(active) ? active : this.#context;
    const span = tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes }, parent);
    const meta: Record<string, string> = {};
    propagation.inject(trace.setSpan(parent, span), meta);
    const startedAt = performance.now();
    return {
      meta,
      ended(error) {
        const end = clientEndOf(error);
        const known = { ...values, ...end };
        finish(span, end);
        const seconds = (performance.now() - startedAt) / 1000;
        clientRequests.record(seconds, attributesOf('mcp.client.operation.duration', known, false));
      },
    };
  }

  ended(event: CallEvent): void {
    const { options, calls, taskRuns } = this.#parts;
    const span = this.#span;
    const end = endOf(event);
    const values = { ...this.#values, ...end };
    try {
      if (span.isRecording()) this.#record(event);
    } finally {
      finish(span, end);
      const durations = event.task ? taskRuns : calls;
      const attributes = attributesOf('mcp.server.operation.duration', values, options.resourceUris === true);
      durations.record(event.ms / 1000, attributes);
    }
  }

  /** Puts on the span what only it has: how the call ended for us, and what was asked and answered where that is wanted. */
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

/** Ends a span as the conventions say: it has failed where it has an `error.type`. */
function finish(span: Span, { errorType, statusCode, message }: End): void {
  span.setAttributes(attributesOf('mcp.server', { errorType, statusCode }, false));
  if (errorType !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message }) });
  span.end();
}

function redacted(how: true | Redactor, value: unknown, call: CallInfo): unknown {
  return how === true ? value : how(value, call);
}

/** Spans have no objects; the conventions let them be JSON. */
function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

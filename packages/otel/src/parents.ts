import {
  type Context,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapGetter,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { CallInfo, Trace } from '@sigil/core';

/** The parent and links of a span. */
export interface Parent {
  readonly context: Context;
  readonly links: Link[];
}

/** Reads a received object: only its own members that are strings. */
const GETTER: TextMapGetter<object> = {
  keys: (carrier) => Object.keys(carrier),
  get(carrier, key) {
    const value: unknown = Object.hasOwn(carrier, key) ? Reflect.get(carrier, key) : undefined;
    return typeof value === 'string' ? value : undefined;
  },
};

/**
 * Returns the parent and the links of a call's span. If the `_meta` of the call contains a trace context, that
 * context is the parent, and the HTTP request's trace context becomes a link. Otherwise, the HTTP request's trace
 * context is the parent. The span of a task's run has no parent; it is linked to the call that submitted the task.
 */
export function parentOf({ params, headers, task }: CallInfo): Parent {
  if (task) {
    const submission = task.submittedIn && spanContextOf(task.submittedIn);
    return { context: ROOT_CONTEXT, links: submission ? [{ context: submission }] : [] };
  }
  const transport = transportContext(headers);
  const { _meta: meta } = params;
  if (typeof meta !== 'object' || meta === null) return { context: transport, links: [] };
  const linked = validSpanContext(transport);
  const carried = propagation.extract(linked ? trace.deleteSpan(transport) : transport, meta, GETTER);
  if (!validSpanContext(carried)) return { context: transport, links: [] };
  return { context: carried, links: linked ? [{ context: linked }] : [] };
}

/** Returns the context from an instrumented HTTP server, otherwise from the headers. */
function transportContext(headers: CallInfo['headers']): Context {
  const active = context.active();
  if (!headers || validSpanContext(active)) return active;
  return propagation.extract(active, headers, GETTER);
}

function validSpanContext(from: Context): SpanContext | undefined {
  const found = trace.getSpanContext(from);
  return found && isSpanContextValid(found) ? found : undefined;
}

function spanContextOf({ traceId, spanId, traceparent }: Trace): SpanContext {
  const flags = Number.parseInt(traceparent.slice(53, 55), 16);
  return { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
}

/** Converts the context of a span to a `Trace`, the form that log lines and stored tasks contain. */
export function traceOf(span: SpanContext): Trace | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = span;
  const flags = traceFlags.toString(16).padStart(2, '0');
  return {
    traceId,
    spanId,
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    tracestate: traceState?.serialize(),
  };
}

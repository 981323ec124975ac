import { type Attributes, type Context, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { AuditRecord } from '@sigil/core';
import { NETWORK_TRANSPORTS } from './values.js';

/** An audit record as a log record for `@opentelemetry/api-logs`. */
export interface AuditLog {
  /** The name of the event: `sigil.audit.`, followed by the event of the record. */
  readonly eventName: string;
  readonly timestamp: Date;
  /** The severity in OpenTelemetry: 9 (INFO), 13 (WARN) or 17 (ERROR). */
  readonly severityNumber: number;
  readonly severityText: string;
  /** The record as a line of JSON, as `jsonLinesFile` of `@sigil/node` writes it. */
  readonly body: string;
  readonly attributes: Attributes;
  /** The OpenTelemetry context. It contains the span of the call, if the span is known. */
  readonly context: Context;
}

/** A logger of `@opentelemetry/api-logs`, typed structurally so that this package does not depend on it. */
export interface AuditLogger {
  /** Accepts a log record. It does not report whether the record was sent. */
  emit(record: AuditLog): void;
}

const SEVERITIES = { INFO: 9, WARN: 13, ERROR: 17 } as const;

/** The outcomes of a call that are the server's fault. */
const FAULTS: ReadonlySet<unknown> = new Set(['error', 'timeout', 'failed']);

/** The attribute for the `name` of a record, by method. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
  'resources/read': 'mcp.resource.uri',
  'resources/subscribe': 'mcp.resource.uri',
};

/**
 * Creates an audit sink that emits each record as an OpenTelemetry log record, in the trace of its call.
 *
 * A logger never reports whether a record was sent, so even with `audit.required`, calls run while the collector is
 * down. If each record must be stored before its call runs, write to a file or a table.
 *
 * @param logger the result of `logs.getLogger()` of `@opentelemetry/api-logs`, or a logger of your own provider.
 * @returns the sink. The provider of the logger stays open when the app closes.
 * @example
 * ```ts
 * const app = await createApp({
 *   name: 'payments',
 *   version: '1.0.0',
 *   services: [Payments],
 *   audit: { sink: auditLogs(logs.getLogger('payments.audit')) },
 * });
 * ```
 */
export function auditLogs(logger: AuditLogger): (record: AuditRecord) => void {
  return (record) => {
    const severityText = severityOf(record);
    logger.emit({
      eventName: `sigil.audit.${record.event}`,
      timestamp: new Date(record.time),
      severityNumber: SEVERITIES[severityText],
      severityText,
      body: JSON.stringify(record),
      attributes: attributesOf(record),
      context: contextOf(record),
    });
  };
}

function severityOf({ decision, outcome }: AuditRecord): keyof typeof SEVERITIES {
  if (decision === 'denied') return 'WARN';
  return decision === 'undecided' || FAULTS.has(outcome) ? 'ERROR' : 'INFO';
}

/**
 * Returns the attributes of a record, with the same names as in spans and metrics. The body contains the rest
 * of the record.
 */
function attributesOf(record: AuditRecord): Attributes {
  const { method = '', name, transport, requestId, code, chain } = record;
  const attributes: Attributes = {
    'sigil.audit.decision': record.decision,
    'sigil.refused_by': record.refusedBy,
    'sigil.refusal.reason': record.reason,
    'sigil.task.aborted_by': record.failedBy,
    'sigil.call.id': record.id,
    'sigil.call.outcome': record.outcome,
    'sigil.task.id': record.taskId,
    'sigil.client': record.client,
    'sigil.audit.arguments_hash': record.argumentsHash,
    'sigil.audit.chain.id': chain?.id,
    'sigil.audit.chain.seq': chain?.seq,
    'mcp.method.name': record.method,
    [NAMES[method] ?? 'sigil.call.name']: name,
    'mcp.protocol.version': record.protocolVersion,
    'jsonrpc.request.id': requestId === undefined ? undefined : String(requestId),
    'rpc.response.status_code': code === undefined ? undefined : String(code),
    'enduser.id': record.principal,
    'client.address': record.address,
    'network.transport': transport && NETWORK_TRANSPORTS[transport],
    'http.request.method': record.httpMethod,
    'url.path': record.path,
  };
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/**
 * Returns the context of a record. Its span counts as sampled, because processors may drop logs of unsampled
 * traces, and an audit needs every record.
 */
function contextOf({ traceId, spanId }: AuditRecord): Context {
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}

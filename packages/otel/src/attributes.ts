import type { Attributes } from '@opentelemetry/api';

/*
 * The attributes of OpenTelemetry's conventions for MCP, once, for spans and metrics. They are those of
 * open-telemetry/semantic-conventions-genai: model/mcp/common.yaml at 0e5e6a8d, spans.yaml at 5c50d346, metrics.yaml at 14567fad.
 * A test compares the table with that model.
 */

/** The kinds of spans and metrics that have attributes. */
export type Signal =
  | 'mcp.server'
  | 'mcp.client'
  | 'mcp.server.operation.duration'
  | 'mcp.client.operation.duration'
  | 'mcp.server.session.duration';

/**
 * The values of attributes. `statusCode`, `errorType`, `input` and `output` are only set when the call or the request
 * has ended.
 */
export interface Values {
  readonly method?: string | undefined;
  readonly tool?: string | undefined;
  readonly operation?: string | undefined;
  readonly prompt?: string | undefined;
  readonly uri?: string | undefined;
  readonly requestId?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly networkTransport?: string | undefined;
  readonly networkProtocol?: string | undefined;
  readonly networkProtocolVersion?: string | undefined;
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  readonly statusCode?: string | undefined;
  readonly errorType?: string | undefined;
  readonly input?: string | undefined;
  readonly output?: string | undefined;
}

/** An attribute, and the spans and metrics that contain it. */
export interface AttributeRow {
  readonly name: string;
  readonly value: keyof Values;
  /** How strictly OpenTelemetry's conventions require the attribute. */
  readonly level: 'required' | 'conditionally_required' | 'recommended' | 'opt_in';
  readonly on: readonly Signal[];
}

const SPANS: readonly Signal[] = ['mcp.server', 'mcp.client'];
const OPERATIONS: readonly Signal[] = ['mcp.server.operation.duration', 'mcp.client.operation.duration'];
const BOTH: readonly Signal[] = [...SPANS, ...OPERATIONS];
const ALL: readonly Signal[] = [...BOTH, 'mcp.server.session.duration'];

/** All attributes of OpenTelemetry's conventions for MCP. */
export const ATTRIBUTES: readonly AttributeRow[] = [
  { name: 'mcp.method.name', value: 'method', level: 'required', on: BOTH },
  { name: 'gen_ai.tool.name', value: 'tool', level: 'conditionally_required', on: BOTH },
  { name: 'gen_ai.prompt.name', value: 'prompt', level: 'conditionally_required', on: BOTH },
  { name: 'gen_ai.operation.name', value: 'operation', level: 'recommended', on: BOTH },
  { name: 'error.type', value: 'errorType', level: 'conditionally_required', on: ALL },
  { name: 'rpc.response.status_code', value: 'statusCode', level: 'conditionally_required', on: BOTH },
  { name: 'jsonrpc.request.id', value: 'requestId', level: 'conditionally_required', on: SPANS },
  { name: 'mcp.resource.uri', value: 'uri', level: 'conditionally_required', on: SPANS },
  { name: 'mcp.resource.uri', value: 'uri', level: 'opt_in', on: OPERATIONS },
  { name: 'mcp.protocol.version', value: 'protocolVersion', level: 'recommended', on: ALL },
  { name: 'mcp.session.id', value: 'sessionId', level: 'recommended', on: SPANS },
  { name: 'network.transport', value: 'networkTransport', level: 'recommended', on: BOTH },
  { name: 'network.protocol.name', value: 'networkProtocol', level: 'recommended', on: ALL },
  { name: 'network.protocol.version', value: 'networkProtocolVersion', level: 'recommended', on: BOTH },
  { name: 'client.address', value: 'address', level: 'recommended', on: ['mcp.server'] },
  { name: 'client.port', value: 'port', level: 'recommended', on: ['mcp.server'] },
  { name: 'gen_ai.tool.call.arguments', value: 'input', level: 'opt_in', on: ['mcp.server'] },
  { name: 'gen_ai.tool.call.result', value: 'output', level: 'opt_in', on: ['mcp.server'] },
];

const ROWS = new Map<Signal, readonly AttributeRow[]>(
  ALL.map((signal) => [signal, ATTRIBUTES.filter(({ on }) => on.includes(signal))]),
);

/**
 * Returns those attributes of a span or metric that have a known value.
 *
 * @param optIn whether to include opt-in attributes.
 */
export function attributesOf(signal: Signal, values: Values, optIn: boolean): Attributes {
  const attributes: Attributes = {};
  for (const { name, value: member, level } of ROWS.get(signal) ?? []) {
    const value = values[member];
    if (value !== undefined && (optIn || level !== 'opt_in')) attributes[name] = value;
  }
  return attributes;
}

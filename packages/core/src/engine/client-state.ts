import type { ClientView } from '../context/call.js';
import { invalidParams } from '../errors/protocol-error.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/descriptors.js';
import { isObject } from '../protocol/json.js';
import { isLogLevel } from '../protocol/logging.js';
import { META } from '../protocol/meta.js';

/** Who sent a request, read off its own `_meta` (2026-07-28, basic, section "_meta"). */
class EnvelopeClient implements ClientView {
  constructor(
    readonly protocolVersion: string,
    readonly capabilities: ClientCapabilities,
    private readonly meta: Readonly<Record<string, unknown>>,
  ) {}

  // Read on demand: most handlers never ask who calls.
  get info(): Implementation | undefined {
    return readImplementation(this.meta[META.clientInfo]);
  }
}

/**
 * Reads who sent a request.
 *
 * @param protocolVersion the version the request claims, known to be one of ours.
 * @throws ProtocolError (-32602) when a required member is missing or malformed.
 */
export function clientOfEnvelope(
  meta: Readonly<Record<string, unknown>>,
  protocolVersion: string,
): ClientView {
  const capabilities = meta[META.clientCapabilities];
  if (!isObject(capabilities)) throw invalidParams(`_meta needs an object "${META.clientCapabilities}"`);
  const level = meta[META.logLevel];
  if (level !== undefined && !isLogLevel(level)) throw invalidParams(`"${META.logLevel}" is no log level`);
  return new EnvelopeClient(protocolVersion, capabilities, meta);
}

/** Reads an implementation that a client sent about itself; `undefined` when it is none. */
export function readImplementation(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string') return undefined;
  return value as unknown as Implementation;
}

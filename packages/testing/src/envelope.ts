import type { ClientCapabilities, Implementation, LogLevel, ProtocolVersion } from '@sigil/core';
import { META } from '@sigil/core/transport';

/** Who a client is, in whatever way its revision tells the server. */
export interface Identity {
  readonly revision: ProtocolVersion;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
}

/**
 * The `_meta` that every request of a stateless revision carries (2026-07-28, basic, section "_meta").
 *
 * @param logLevel the mildest log message wanted with the request; none at all when absent.
 */
export function envelope(identity: Identity, logLevel: LogLevel | undefined): Record<string, unknown> {
  return {
    [META.protocolVersion]: identity.revision,
    [META.clientInfo]: identity.clientInfo,
    [META.clientCapabilities]: identity.capabilities,
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  };
}

import type { Implementation, ProtocolVersion, ServerCapabilities } from '@sigil/core';

/** What a server said of itself when a session was opened (`initialize`). */
export interface ServerFacts {
  readonly protocolVersion: ProtocolVersion;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation;
  readonly instructions?: string;
}

/** What a server says of itself when asked (`server/discover`, 2026-07-28 and later). */
export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

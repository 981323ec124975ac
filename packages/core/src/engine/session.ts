import type { ClientView } from '../context/call.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Revision } from './revisions/index.js';

/** What `initialize` settled between a client and a server, and what the client asked for since. */
export class Session implements ClientView {
  logLevel: LogLevel | undefined;
  /** URIs the client wants to hear about; made at the first subscription, to keep idle sessions small. */
  subscriptions: Set<string> | undefined;

  constructor(
    readonly revision: Revision,
    readonly info: Implementation | undefined,
    readonly capabilities: ClientCapabilities,
  ) {}

  get protocolVersion(): string {
    return this.revision.version;
  }
}

import type { ClientView } from '../context/call.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Principal } from '../protocol/principal.js';
import type { Revision } from './revisions/index.js';

/** What `initialize` settled between a client and a server, and what the client asked for since. */
export class Session implements ClientView {
  /** Whether the client has said that it is ready: until then nothing is sent that it did not ask for. */
  ready = false;
  logLevel: LogLevel | undefined;
  /** The principal of its latest request, with the scopes and claims it has by now. */
  principal: Principal | undefined;
  /** URIs the client wants to hear about; made at the first subscription, to keep idle sessions small. */
  subscriptions: Set<string> | undefined;

  /** How much of what the client said of itself is kept, in bytes. */
  bytes = 0;
  /** Roots the client named when it opened the session; `undefined` where it is to be asked for them. */
  roots: readonly unknown[] | undefined;

  /**
   * @param announced what the client was told the server can do.
   * @param quotaKey whom quotas count it for.
   */
  constructor(
    readonly revision: Revision,
    readonly info: Implementation | undefined,
    readonly capabilities: ClientCapabilities,
    readonly announced: ServerCapabilities,
    readonly quotaKey: string | object | undefined,
  ) {}

  get protocolVersion(): string {
    return this.revision.version;
  }
}

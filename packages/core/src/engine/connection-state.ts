import type { ClientView } from '../context/call.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { LogLevel } from '../protocol/logging.js';
import type { Principal } from '../protocol/principal.js';
import type { ClientCapabilities, ServerCapabilities } from '../protocol/protocol.js';
import type { Sink } from '../transport/transport.js';
import { PendingRequests } from './asking/pending-requests.js';
import type { Answer } from './asking/round-trip-state.js';
import { fromDialect, resultFromDialect, type Spoken, toDialect } from './revisions/message-dialect.js';
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

/** Most pages of one client that are remembered; the oldest are forgotten first. */
const MAX_ELICITATIONS = 1000;

/** Where messages go that nothing carries. */
export const NOWHERE: Sink = Object.freeze({ send: () => undefined, end: () => undefined });

/** What the requests of one connection share: its session, its own sink, and what waits for the client. */
export class ConnectionState {
  session: Session | undefined;
  #elicitations: Set<string> | undefined;
  #pending: PendingRequests | undefined;
  #speaksDialect = false;

  constructor(readonly sink: Sink = NOWHERE) {}

  /** The requests sent to the client; made at the first one, to keep idle sessions small. */
  get pending(): PendingRequests {
    return (this.#pending ??= new PendingRequests());
  }

  /** Remembers a page the user was sent to, until it has done its work. */
  addElicitation(elicitationId: string): void {
    const known = (this.#elicitations ??= new Set());
    const [oldest] = known;
    if (oldest !== undefined && known.size >= MAX_ELICITATIONS) known.delete(oldest);
    known.add(elicitationId);
  }

  /** Forgets a page the user was sent to. @returns whether it was known. */
  removeElicitation(elicitationId: string): boolean {
    return this.#elicitations?.delete(elicitationId) ?? false;
  }

  /** Whether anything was ever asked of the client. */
  get hasAsked(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Looks for an unknown name among those of the older dialect. From the first one on the client of this session is spoken to
   * in that dialect.
   */
  understand(method: string, params: unknown): Spoken | undefined {
    if (!this.session) return undefined;
    const translated = fromDialect(method, params);
    if (translated) this.#speaksDialect = true;
    return translated;
  }

  /** Writes a request or notification for the client, in the words it uses. */
  write(message: object): string {
    return JSON.stringify(this.#speaksDialect ? toDialect(message as Spoken) : message);
  }

  /** Reads the client's result of a request, which is in the words it uses. */
  read(method: string, result: Answer): Answer {
    return this.#speaksDialect ? resultFromDialect(method, result) : result;
  }
}

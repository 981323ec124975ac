import type { Outlet } from '../transport/contract.js';
import {
  fromDialect,
  resultFromDialect,
  type Spoken,
  toDialect,
  type Translated,
} from './dialect/translate.js';
import { PendingRequests } from './pending-requests.js';
import type { Answer } from './rounds/round-memory.js';
import type { Session } from './session.js';

/** Most pages of one client that are remembered; the oldest are forgotten first. */
const MAX_ELICITATIONS = 1000;

/** What the requests of one connection share: its session, its own outlet, and what waits for the client. */
export class Link {
  session: Session | undefined;
  #elicitations: Set<string> | undefined;
  #pending: PendingRequests | undefined;
  #speaksDialect = false;

  constructor(readonly outlet: Outlet | undefined) {}

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
   * Looks for a name that nobody knows among those of the older dialect. From the first one on the client of this session
   * is spoken to in that dialect.
   */
  understand(method: string, params: unknown): Translated | undefined {
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

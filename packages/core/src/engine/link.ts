import type { Outlet } from '../transport/contract.js';
import { PendingRequests } from './pending-requests.js';
import type { Session } from './session.js';

/** What the requests of one connection share: its session, its own outlet, and what waits for the client. */
export class Link {
  session: Session | undefined;
  /** Ids of the pages the user was sent to, until they have done their work. */
  elicitations: Set<string> | undefined;
  #pending: PendingRequests | undefined;

  constructor(readonly outlet: Outlet | undefined) {}

  /** The requests sent to the client; made at the first one, to keep idle sessions small. */
  get pending(): PendingRequests {
    return (this.#pending ??= new PendingRequests());
  }

  /** Whether anything was ever asked of the client. */
  get hasAsked(): boolean {
    return this.#pending !== undefined;
  }
}

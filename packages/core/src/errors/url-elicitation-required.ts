import { ERROR_CODES } from './codes.js';
import { ProtocolError } from './protocol-error.js';

/** A page the user has to visit before a request can be served. */
export interface RequiredPage {
  readonly message: string;
  readonly url: string;
}

/**
 * Answers a request with the pages the user has to visit first (-32042; 2025-11-25, client/elicitation,
 * "URL Elicitation Required Error"). The client may try again afterwards. `ctx.elicitUrl()` asks and goes on instead, and works
 * in every revision that has it.
 */
export class UrlElicitationRequiredError extends ProtocolError {
  constructor(pages: readonly RequiredPage[]) {
    const elicitations = pages.map((page) => ({ mode: 'url', elicitationId: crypto.randomUUID(), ...page }));
    const message = 'Visit the pages in "elicitations" first';
    super(ERROR_CODES.urlElicitationRequired, message, { elicitations });
  }
}

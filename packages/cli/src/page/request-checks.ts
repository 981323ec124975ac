import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './answers.js';

/** The host names of this machine in a browser. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Checks that requests come from the page itself. */
export class RequestChecks {
  /** The token of the page's requests. Each run of `sigil dev` creates a new token. */
  readonly token: string = randomBytes(32).toString('base64url');
  readonly #digest: Buffer = digestOf(this.token);

  /**
   * Refuses requests whose header `Host` does not name this machine, as a protection against DNS rebinding. Also
   * refuses requests from pages of other origins.
   *
   * @throws Refusal for such a request.
   */
  checkSender(request: IncomingMessage, port: number): void {
    const { host, origin } = request.headers;
    if (!request.url?.startsWith('/')) throw new Refusal(400, 'The target of a request must be a path');
    const names = request.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host');
    // Clients leave the default port out.
    const hosts = LOOPBACK_NAMES.map((name) => (port === 80 ? name : `${name}:${port}`));
    if (names.length !== 1 || host === undefined || !hosts.includes(host))
      throw new Refusal(403, `The header Host must be one of ${hosts.join(', ')}`);
    if (origin !== undefined && origin !== `http://${host}`)
      throw new Refusal(
        403,
        `The header Origin must be http://${host}: pages of other origins have no access`,
      );
  }

  /** Refuses requests that do not come from the page. @throws Refusal for such a request. */
  checkPage({ headers }: IncomingMessage): void {
    const { 'sec-fetch-site': site = 'same-origin', authorization = '' } = headers;
    // Another port is the same site, and the port of views is one.
    if (site !== 'same-origin')
      throw new Refusal(
        403,
        `Pages of other origins have no access (the header Sec-Fetch-Site is ${String(site)})`,
      );
    const [, token = ''] = /^Bearer ([\w-]+)$/i.exec(authorization) ?? [];
    if (timingSafeEqual(digestOf(token), this.#digest)) return;
    throw new Refusal(
      401,
      'The token is missing or wrong: open the link that sigil dev shows',
      {},
      {
        'www-authenticate': 'Bearer',
      },
    );
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import { ServerError } from '../failures.js';
import { type Challenge, challengeOf } from './discovery.js';
import { keepLogin, keptLogin } from './kept-logins.js';
import type { Login } from './login.js';

/** How long before its expiry a token is no longer used, in milliseconds. */
const MARGIN_MS = 5_000;

/** The stored login for requests to a server. */
export class Authorization {
  #login: Login | undefined;
  #hasWarned = false;

  /** @param warn a function that is called once if logins cannot be read or stored. It receives the reason. */
  constructor(
    private readonly server: URL,
    private readonly warn: (why: string) => void,
  ) {
    this.#orWarn(() => (this.#login = keptLogin(server)));
  }

  /**
   * Returns the access token; `undefined` without a login. If the token has expired or expires within 5 seconds, first
   * tries to refresh it.
   */
  async token(): Promise<string | undefined> {
    const { expiresAt = Infinity, kept } = this.#login ?? {};
    if (expiresAt < Date.now() + MARGIN_MS && kept?.refreshToken !== undefined) await this.#refresh();
    return this.#login?.accessToken;
  }

  /**
   * Returns `true` if a refused request can be repeated with a newer access token. If necessary, first requests a newer
   * token. `token` is the access token in the refused request.
   *
   * @throws ServerError if the server requires a login or more scopes, so that the user must run the login command. The
   *   message contains the login command.
   */
  async canRetry(refused: Response, token: string | undefined): Promise<boolean> {
    const challenge = await challengeOf(refused);
    if (!challenge) return false;
    if (refused.status === 401 && this.#login?.kept.refreshToken !== undefined) {
      // Another request may have refreshed it.
      if (token === this.#login.accessToken) await this.#refresh();
      if (this.#login.accessToken !== token) return true;
    }
    throw new ServerError(this.#whatToDo(challenge, refused.status));
  }

  async #refresh(): Promise<void> {
    // If refreshing fails, the user must log in again.
    const login = await this.#login?.refresh().catch(() => undefined);
    if (!login) return;
    this.#login = login;
    // This run has the new token in memory.
    this.#orWarn(() => keepLogin(login));
  }

  #orWarn(use: () => void): void {
    try {
      use();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      if (!this.#hasWarned) this.warn(error.message);
      this.#hasWarned = true;
    }
  }

  #whatToDo({ scopes }: Challenge, status: number): string {
    const { href } = this.server;
    if (status === 403) {
      const wanted = [...new Set([...(this.#login?.scopes ?? []), ...scopes])];
      const options = wanted.map((scope) => ` --scope ${scope}`).join('');
      return `${href} requires the scopes ${scopes.join(' ')} for this request: run sigil login ${href}${options}`;
    }
    return this.#login
      ? `the login to ${href} has expired: run sigil login ${href}`
      : `${href} requires a login: run sigil login ${href}`;
  }
}

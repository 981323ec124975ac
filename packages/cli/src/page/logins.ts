import { randomBytes } from 'node:crypto';
import { isScope, messageOf } from '@sigil/core/internal';
import { ServerError } from '../failures.js';
import { objectOf } from '../json.js';
import type { BegunLogin, Login, LoginOptions } from '../login/login.js';
import { Refusal } from './answers.js';

/** Maximum number of stored logins. Older ones are dropped. */
const MOST_LOGINS = 20;
/** Maximum number of scopes in a login. */
const MOST_SCOPES = 100;
/** How long a user may take to log in, in milliseconds. */
const OPEN_MS = 10 * 60_000;
/** How long before its expiry an access token is replaced, in milliseconds. */
const EARLY_MS = 10_000;

/** A login in the form that is sent to the page. */
export interface ShownLogin {
  readonly id: string;
  readonly status: 'open' | 'done' | 'failed';
  readonly scopes: readonly string[];
  readonly subject?: string;
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly error?: string;
}

/** A login with its secrets. */
interface KnownLogin {
  shown: ShownLogin;
  readonly begun: BegunPageLogin;
  readonly since: number;
  login?: PageLogin;
  refreshing?: Promise<void> | undefined;
}

/** A login that is only stored while `sigil dev` runs. */
interface PageLogin extends Omit<Login, 'kept' | 'refresh'> {
  refresh(): Promise<PageLogin>;
}

/** A login whose user has not returned yet. */
interface BegunPageLogin extends Omit<BegunLogin, 'finish'> {
  finish(parameters: URLSearchParams): Promise<PageLogin>;
}

/** Starts a login. */
export type BeginLogin = (options: LoginOptions) => Promise<BegunPageLogin>;

/** The logins that the page uses for the server under development. They are only stored in memory. */
export class Logins {
  readonly #logins = new Map<string, KnownLogin>();

  /**
   * @param begin a function that starts a login.
   * @param told a function that is called with each login that has changed.
   */
  constructor(
    private readonly begin: BeginLogin,
    private readonly told: (login: ShownLogin) => void,
  ) {}

  /** All logins, oldest first. */
  get list(): ShownLogin[] {
    return [...this.#logins.values()].map(({ shown }) => shown);
  }

  /** Starts a login. @throws Refusal if the scopes are invalid, or if the login fails. */
  async add(server: URL, redirectUri: string, given: unknown): Promise<{ id: string; authorizeUrl: string }> {
    const { scopes } = objectOf(given);
    const areScopes = Array.isArray(scopes) && scopes.length <= MOST_SCOPES && scopes.every(isScope);
    if (scopes !== undefined && !areScopes)
      throw new Refusal(400, `scopes must be a list of at most ${MOST_SCOPES} OAuth scopes`);
    const begun = await this.begin({ server, redirectUri, ...(areScopes && { scopes }) }).catch(
      (error: unknown) => {
        if (error instanceof ServerError) throw new Refusal(502, error.message);
        throw error;
      },
    );
    const id = randomBytes(12).toString('base64url');
    this.#change(id, {
      begun,
      since: performance.now(),
      shown: { id, status: 'open', scopes: begun.scopes },
    });
    const [oldest = ''] = this.#logins.keys();
    if (this.#logins.size > MOST_LOGINS) this.#logins.delete(oldest);
    return { id, authorizeUrl: begun.authorizeUrl };
  }

  /**
   * Finishes the login that a browser's redirect belongs to. Each login can be finished only once.
   *
   * @returns whether the user is logged in.
   * @throws Refusal if there is no such login.
   */
  async finish(answer: URLSearchParams): Promise<boolean> {
    const state = answer.get('state');
    const known = [...this.#logins.values()].find(
      ({ begun, shown }) => shown.status === 'open' && begun.state === state,
    );
    if (!known || performance.now() - known.since > OPEN_MS)
      throw new Refusal(
        400,
        'sigil dev is not waiting for this login: start the login again from the page of sigil dev',
      );
    const { shown, begun } = known;
    // A repeated redirect finds no open login.
    known.shown = { ...shown, status: 'failed', error: 'it was not finished' };
    try {
      this.#took(known, await begun.finish(answer));
      return true;
    } catch (error) {
      this.#change(shown.id, Object.assign(known, { shown: { ...known.shown, error: messageOf(error) } }));
      return false;
    }
  }

  /** Removes a login, and revokes its tokens at the authorization server. */
  remove(id: string): void {
    const { login } = this.#known(id);
    this.#logins.delete(id);
    // It is forgotten here, whatever its authorization server says.
    void login?.revoke().catch(() => undefined);
  }

  /**
   * Returns the access token of a login. If the token has expired or expires within 10 seconds, refreshes it first.
   *
   * @throws Refusal if there is no such login, if the login is not finished, or if the token cannot be refreshed.
   */
  async accessToken(id: string): Promise<string> {
    const known = this.#known(id);
    const { login } = known;
    if (!login)
      throw new Refusal(
        400,
        `The login has no token (its status is ${known.shown.status}): finish the login, or start another login`,
      );
    if (login.expiresAt !== undefined && login.expiresAt - EARLY_MS < Date.now())
      await (known.refreshing ??= login
        .refresh()
        .then((fresh) => this.#took(known, fresh))
        .catch((error: unknown) => {
          throw new Refusal(400, `The login has expired: ${messageOf(error)}`);
        })
        .finally(() => (known.refreshing = undefined)));
    return known.login?.accessToken ?? login.accessToken;
  }

  #known(id: string): KnownLogin {
    const known = this.#logins.get(id);
    if (known) return known;
    throw new Refusal(404, 'This login does not exist: start another login');
  }

  #took(known: KnownLogin, login: PageLogin): void {
    const { scopes, subject, expiresAt } = login;
    known.login = login;
    known.shown = {
      id: known.shown.id,
      status: 'done',
      scopes,
      ...(subject !== undefined && { subject }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    // It may have been removed in the meantime.
    if (this.#logins.has(known.shown.id)) this.told(known.shown);
  }

  #change(id: string, known: KnownLogin): void {
    this.#logins.set(id, known);
    this.told(known.shown);
  }
}

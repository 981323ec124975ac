import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { DpopSession, UnauthorizedError } from '@modelcontextprotocol/client';

/**
 * Does in a browser's place what a user does at the authorization server of `apps/identity`: logs in, and agrees.
 *
 * @returns where the browser is sent in the end.
 */
export async function logIn(url: URL, name = 'ada'): Promise<URL> {
  const cookies = new Map<string, string>();
  const go = async (to: URL, form?: URLSearchParams): Promise<Response> => {
    const response = await fetch(to, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: form } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const [key = '', value = ''] = pair.split('=');
      if (value === '') cookies.delete(key);
      else cookies.set(key, value);
    }
    return response;
  };
  let at = url;
  let response = await go(at);
  for (let steps = 0; steps < 20; steps += 1) {
    const location = response.headers.get('location');
    if (location !== null) {
      at = new URL(location, at);
      if (at.origin !== url.origin) return at;
      response = await go(at);
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined)
      throw new Error(`no form at ${at.href}:\n${page.slice(0, 2000)}`);
    at = new URL(action, at);
    response = await go(at, new URLSearchParams({ prompt, login: name, password: 'any' }));
  }
  throw new Error('the authorization server goes in circles');
}

const REDIRECT = 'http://127.0.0.1:1/callback';

/** How a user and its client are. */
export interface UserOptions {
  /** Whether tokens are bound to a key of the client. @default false */
  readonly dpop?: boolean;
  /** How the client says who it is once it is registered. @default 'none' */
  readonly method?: 'none' | 'client_secret_basic';
  /** Where browsers are sent back to. */
  readonly redirect?: string;
  /** Where the client describes itself, in place of being registered. */
  readonly metadataUrl?: string;
  /** Does in a browser's place what the user does. @default at the authorization server of `apps/identity` */
  readonly logIn?: (url: URL) => Promise<URL>;
}

/** What a client keeps of its authorization, whose user logs in when it is asked to. */
export class LoggedInUser implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  /** The scopes that the user was asked for, each time. */
  readonly asked: string[] = [];
  /** What the browser brought back last. */
  callback: URLSearchParams | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  readonly #dpop: Promise<DpopSession> | undefined;
  readonly #logIn: (url: URL) => Promise<URL>;

  constructor(name = 'ada', options: UserOptions = {}) {
    const { dpop = false, method = 'none', redirect = REDIRECT, metadataUrl } = options;
    this.#logIn = options.logIn ?? ((url) => logIn(url, name));
    this.redirectUrl = redirect;
    if (metadataUrl !== undefined) this.clientMetadataUrl = metadataUrl;
    this.#dpop = dpop ? DpopSession.create() : undefined;
    this.clientMetadata = {
      redirect_uris: [redirect],
      client_name: 'test',
      token_endpoint_auth_method: method,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      ...(dpop ? { dpop_bound_access_tokens: true } : {}),
    };
  }

  dpop(): Promise<DpopSession> | undefined {
    return this.#dpop;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked.push(url.searchParams.get('scope') ?? '');
    this.callback = (await this.#logIn(url)).searchParams;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Does something, and once more when the user had to log in for it. */
export async function withLogIn<T>(
  user: LoggedInUser,
  finish: (callback: URLSearchParams) => Promise<void>,
  act: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !user.callback || tries > 2) throw error;
      await finish(user.callback);
    }
  }
}

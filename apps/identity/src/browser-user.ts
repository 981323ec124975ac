import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** An OAuth client whose user logs in with a browser. It keeps its registration and tokens in memory. */
export class BrowserUser implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientProvider['clientMetadata'];
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  #page: URL | undefined;
  /** The scopes that the user was asked for last. */
  #asked: readonly string[] | undefined;

  /** @param redirectUrl the URL that the browser returns to after the login. */
  constructor(readonly redirectUrl: string) {
    this.clientMetadata = {
      redirect_uris: [redirectUrl],
      client_name: 'A client to try authorization with',
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation = (): OAuthClientInformationMixed | undefined => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.#client = client);
  tokens = (): OAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: OAuthTokens): void => void (this.#tokens = tokens);
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.#discovered = state);
  codeVerifier = (): string => this.#verifier;
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);

  /**
   * @throws Error when the user has already logged in for the same scopes, because another login would change nothing.
   */
  redirectToAuthorization(url: URL): void {
    const asked = scopesIn(url.searchParams.get('scope')).sort();
    if (this.#tokens && asked.join(' ') === this.#asked?.join(' ')) throw new Error(this.#whyAgain(asked));
    this.#asked = asked;
    this.#page = url;
  }

  /** Returns the URL of the login page; `undefined` if no login is needed. Each URL is returned only once. */
  takePage(): URL | undefined {
    const page = this.#page;
    this.#page = undefined;
    return page;
  }

  #whyAgain(asked: readonly string[]): string {
    // Who grants all that is asked for need not say what (RFC 6749, section 5.1).
    const granted = scopesIn(this.#tokens?.scope ?? asked.join(' '));
    const missing = asked.filter((scope) => !granted.includes(scope));
    return missing.length > 0
      ? `the login succeeded, but the authorization server did not grant ${missing.join(' ')}: check its list of scopes`
      : 'the login succeeded, but the MCP server refuses the token: see the log of the MCP server';
  }
}

function scopesIn(text: string | null): string[] {
  return (text ?? '').split(' ').filter((scope) => scope !== '');
}

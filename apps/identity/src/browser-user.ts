import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** Keeps what a client has to keep, as long as the program runs. */
export class BrowserUser implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientProvider['clientMetadata'];
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  #page: URL | undefined;
  /** The scopes that the user was asked for last. */
  #asked: readonly string[] | undefined;

  /** @param redirectUrl where browsers come back to. */
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

  /** @throws Error when the user was asked for the same scopes before: logging in once more would change nothing. */
  redirectToAuthorization(url: URL): void {
    const asked = scopesIn(url.searchParams.get('scope')).sort();
    if (this.#tokens && asked.join(' ') === this.#asked?.join(' ')) throw new Error(this.#whyAgain(asked));
    this.#asked = asked;
    this.#page = url;
  }

  /** The page where the user logs in, once. */
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
      ? `logged in, but the authorization server did not grant ${missing.join(' ')}: does it know that scope?`
      : 'logged in, but the server does not take the token: its log says why';
  }
}

function scopesIn(text: string | null): string[] {
  return (text ?? '').split(' ').filter((scope) => scope !== '');
}

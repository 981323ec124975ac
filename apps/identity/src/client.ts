import { createServer } from 'node:http';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

// Calls one tool of the inventory with the official client, whose user logs in with a browser.
const [tool = 'list_warehouses', args = '{}', address = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2);
const CALLBACK_PORT = Number(process.env['CALLBACK_PORT'] ?? 9001);
const CALLBACK = `http://127.0.0.1:${CALLBACK_PORT}/callback`;

/** Keeps what a client has to keep, as long as the program runs. */
class BrowserUser implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    redirect_uris: [CALLBACK],
    client_name: 'A client to try authorization with',
    token_endpoint_auth_method: 'none',
  };
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';
  /** What the browser brings back. */
  callback: Promise<URLSearchParams> | undefined;

  clientInformation = (): OAuthClientInformationMixed | undefined => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.#client = client);
  tokens = (): OAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: OAuthTokens): void => void (this.#tokens = tokens);
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.#discovered = state);
  codeVerifier = (): string => this.#verifier;
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);

  redirectToAuthorization(url: URL): void {
    this.callback = callback();
    console.log(
      `\nThe server asks for the scopes: ${url.searchParams.get('scope')}\nOpen in a browser:\n${url.href}\n`,
    );
  }
}

/** Waits for the browser to come back. */
function callback(): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      response.setHeader('Connection', 'close').end('You can close this page.');
      server.close();
      resolve(new URL(request.url ?? '', CALLBACK).searchParams);
    }).listen(CALLBACK_PORT, '127.0.0.1');
  });
}

const user = new BrowserUser();

/** Does something, and again each time that the user had to log in for it. */
async function authorized<T>(act: (transport: StreamableHTTPClientTransport) => Promise<T>): Promise<T> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: user });
  try {
    return await act(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || !user.callback) throw error;
    await transport.finishAuth(await user.callback);
    user.callback = undefined;
    return authorized(act);
  }
}

const result = await authorized(async (transport) => {
  const client = new Client({ name: 'try', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  const called = await client.callTool({
    name: tool,
    arguments: JSON.parse(args) as Record<string, unknown>,
  });
  await client.close();
  return called;
});
console.log(JSON.stringify(result.content, null, 2));

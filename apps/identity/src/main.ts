import { parseArgs } from 'node:util';
import { listen } from './listen.js';
import { createProvider, type ProviderOptions } from './provider.js';

const HELP = `Starts an authorization server on this machine, for tests of authorization. It accepts any name and password.

node apps/identity/dist/main.js [flags]

  --port <port>            the port on 127.0.0.1; 9000 by default. The issuer is http://127.0.0.1:<port>
  --scopes '<scope> …'     the scopes that the server can grant, separated by spaces; mcp by default. Clients that request no scope get the first one
  --resource <url>         the URL of an MCP server: tokens are for this server if the client sends no resource, as in revision 2025-03-26
  --format jwt|opaque      whether access tokens are signed (jwt), or must be checked by introspection (opaque); jwt by default
  --token-seconds <n>      how many seconds access tokens are valid; 300 by default
  --clients '<json>'       programs that get tokens for themselves, and servers that check tokens by introspection, in the
                           format of oidc-provider: [{"client_id":"…","client_secret":"…","grant_types":["client_credentials"],
                           "redirect_uris":[],"response_types":[]}]
  --metadata-documents     client ids can be URLs of documents that describe the clients. Without this flag, clients must register
  --nonces                 proofs of possession (DPoP) need a nonce
  --help                   show this text
`;

const OPTIONS = {
  port: { type: 'string', default: '9000' },
  scopes: { type: 'string', default: 'mcp' },
  resource: { type: 'string' },
  format: { type: 'string', default: 'jwt' },
  'token-seconds': { type: 'string', default: '300' },
  /** JSON, as the provider takes it. */
  clients: { type: 'string', default: '[]' },
  nonces: { type: 'boolean', default: false },
  'metadata-documents': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

try {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) console.log(HELP);
  else start(values);
} catch (error) {
  console.error(`${(error as Error).message}\n--help shows every flag.`);
  process.exitCode = 2;
}

function start(values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']): void {
  const { port, format } = values;
  const issuer = `http://127.0.0.1:${port}`;
  if (!/^\d+$/.test(port) || Number(port) > 65_535) throw new Error(`--port: '${port}' is no port`);
  if (format !== 'jwt' && format !== 'opaque')
    throw new Error(`--format: it must be jwt or opaque, not '${format}'`);
  if (values.scopes.includes(',')) throw new Error('--scopes: write spaces between scopes, not commas');
  const provider = createProvider({
    issuer,
    scopes: values.scopes.split(' '),
    scopesAreIn: '--scopes',
    resource: values.resource,
    format,
    tokenSeconds: Number(values['token-seconds']),
    clients: clientsIn(values.clients),
    nonces: values.nonces,
    metadataDocuments: values['metadata-documents'],
  });
  listen(provider, Number(port), '--port', () =>
    console.log(`Authorization server: ${issuer} (ignore its warnings, which concern production servers)`),
  );
}

function clientsIn(text: string): NonNullable<ProviderOptions['clients']> {
  try {
    return JSON.parse(text) as NonNullable<ProviderOptions['clients']>;
  } catch (error) {
    throw new Error(`--clients: it must be JSON: ${(error as Error).message}`, { cause: error });
  }
}

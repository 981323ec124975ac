import { parseArgs } from 'node:util';
import { listen } from './listen.js';
import { createProvider, type ProviderOptions } from './provider.js';

const HELP = `An authorization server on this machine, to try and to test authorization with. Any name and password will do.

node apps/identity/dist/main.js [flags]

  --port <port>            where it listens on 127.0.0.1; its issuer is http://127.0.0.1:<port>; 9000 by default
  --scopes '<scope> …'     the scopes it grants, with spaces between them; mcp by default. Clients that ask for none get the first one
  --resource <url>         the server that tokens are for whose client names none, as clients of 2025-03-26 do
  --format jwt|opaque      whether access tokens are signed, or have to be looked up by introspection(); jwt by default
  --token-seconds <n>      how long access tokens live; 300 by default
  --clients '<json>'       a list of programs that log in as themselves, and of servers that look tokens up, as oidc-provider
                           takes them: [{"client_id":"…","client_secret":"…","grant_types":["client_credentials"],
                           "redirect_uris":[],"response_types":[]}]
  --metadata-documents     whether the id of a client may be the URL of a document about it; clients register by default
  --nonces                 whether proofs of possession (DPoP) need a nonce
  --help                   show this
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
    throw new Error(`--format: it is jwt or opaque, not '${format}'`);
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
    console.log(`Authorization server: ${issuer} (its warnings are about production)`),
  );
}

function clientsIn(text: string): NonNullable<ProviderOptions['clients']> {
  try {
    return JSON.parse(text) as NonNullable<ProviderOptions['clients']>;
  } catch (error) {
    throw new Error(`--clients: it must be JSON: ${(error as Error).message}`, { cause: error });
  }
}

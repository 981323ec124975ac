// An authorization server for development and tests. It accepts any name and password, and keeps everything in memory.
// `npm run identity` starts it. `--port` (9000 by default) and `--host` (127.0.0.1 by default) set the address to listen on.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

// oidc-provider needs URL.parse(), which Node 20 does not have.
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
const { Provider } = await import('oidc-provider');

// The scopes that clients can request. The file is valid JavaScript, so it is loaded without compiling it.
const source = readFileSync(new URL('../src/scopes.ts', import.meta.url), 'utf8');
const { SCOPES } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

// A client without a user, which gets its tokens with `grant_type=client_credentials`.
const ROBOT = {
  client_id: 'robot',
  client_secret: 'robot-secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: SCOPES.join(' '),
};

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9000' },
    host: { type: 'string', default: '127.0.0.1' },
  },
});

const server = createServer();
server.on('error', ({ message }) => {
  console.error(`The authorization server cannot listen: ${message}`);
  process.exit(1);
});
server.listen(Number(values.port), values.host, () => {
  // Browsers and the server use this address, even if `--host` is another address.
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.on('request', providerOf(issuer).callback());
  console.log(`Authorization server: ${issuer}; it accepts any name and password`);
  console.log(
    'Leave it running, and start the server in another terminal. Ignore its warnings: they concern production servers.',
  );
});

function providerOf(issuer) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [ROBOT],
    // The key has a new id at each start, so that servers fetch it again.
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }],
    },
    cookies: { keys: [randomUUID()] },
    scopes: ['openid', 'offline_access', ...SCOPES],
    ttl: { AccessToken: 3600, ClientCredentials: 3600, Grant: 86_400, Interaction: 600, Session: 86_400 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      // The pages where users log in and give their consent.
      devInteractions: { enabled: true },
      // MCP clients register themselves.
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      // Tokens are JWTs. Each is valid for one server, which the client names in `resource`.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.use(async (ctx, next) => {
    if (ctx.method === 'POST' && ctx.path === '/reg') ctx.req.body = await withoutScope(ctx.req);
    // A client that requests no scope gets the first scope (RFC 6749, section 3.3).
    if (ctx.path === '/auth' && !ctx.query.scope) ctx.query = { ...ctx.query, scope: SCOPES[0] };
    await next();
    warnOfUnknown(String(ctx.oidc?.params?.scope ?? '').split(' '));
  });
  return provider;
}

// Unknown scopes are not granted. A client that needs such a scope would ask its user again and again.
const known = new Set(['', 'openid', 'offline_access', ...SCOPES]);

function warnOfUnknown(scopes) {
  for (const scope of scopes.filter((one) => !known.has(one))) {
    known.add(scope);
    console.error(
      `A client requests the scope ${scope}, which is not granted: add it to SCOPES in src/scopes.ts, and restart this program`,
    );
  }
}

// Clients register with the scopes that they need first. If these were stored, later requests could get no other scope.
async function withoutScope(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { scope: _, ...metadata } = JSON.parse(text);
  return metadata;
}

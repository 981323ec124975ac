// An authorization server on this machine, for development and tests: any name and password will do, and it forgets everything
// when it ends. The script `identity` starts it; `--port` says where, 9000 by default, and `--host` who reaches it: this machine.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

// oidc-provider asks for URL.parse(), which Node has since version 22: this comes before it.
URL.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
const { Provider } = await import('oidc-provider');

// What clients may ask for. The file is JavaScript as well, so that nothing has to be compiled first.
const source = readFileSync(new URL('../src/scopes.ts', import.meta.url), 'utf8');
const { SCOPES } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

// A program that gets tokens without a user, with `grant_type=client_credentials`.
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
  // The address by which browsers and the server know it, whatever it listens on.
  const issuer = `http://127.0.0.1:${server.address().port}`;
  server.on('request', providerOf(issuer).callback());
  console.log(`Authorization server: ${issuer}; any name and password will do`);
  console.log(
    'Leave it running, and start the server in another terminal. Its warnings are about production.',
  );
});

function providerOf(issuer) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [ROBOT],
    // By another name at every start, so that servers fetch the new key.
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }],
    },
    cookies: { keys: [randomUUID()] },
    scopes: ['openid', 'offline_access', ...SCOPES],
    ttl: { AccessToken: 3600, ClientCredentials: 3600, Grant: 86_400, Interaction: 600, Session: 86_400 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      // Pages where a user logs in with any name and password, and agrees.
      devInteractions: { enabled: true },
      // Clients of MCP register by themselves.
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      // Tokens are JWTs for the one server that the client names as `resource`.
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
    // Who asks for no scope gets the first one (RFC 6749, section 3.3).
    if (ctx.path === '/auth' && !ctx.query.scope) ctx.query = { ...ctx.query, scope: SCOPES[0] };
    await next();
    warnOfUnknown(String(ctx.oidc?.params?.scope ?? '').split(' '));
  });
  return provider;
}

// A scope that is not known is not granted, and a client that needs it would ask its user again and again.
const known = new Set(['', 'openid', 'offline_access', ...SCOPES]);

function warnOfUnknown(scopes) {
  for (const scope of scopes.filter((one) => !known.has(one))) {
    known.add(scope);
    console.error(
      `A client asks for the scope ${scope}, which is not granted: add it to SCOPES in src/scopes.ts, and start this again`,
    );
  }
}

// Clients register with the scopes that they need first, and would get no others later.
async function withoutScope(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { scope: _, ...metadata } = JSON.parse(text);
  return metadata;
}

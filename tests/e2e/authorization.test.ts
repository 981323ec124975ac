import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Client,
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as OlderUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggedInUser } from './log-in.js';
import { endProcess, endProcesses, freePort, ServerProcess, until } from './processes.js';
import { MetadataDocument, noOpenssl } from './metadata-document.js';
import { answers, type Protected, startProtected } from './protected-server.js';
import { closeUsers, openUser } from './user-client.js';

const PROVIDER = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;
const SCOPES = 'mcp files:read files:write';
const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** Programs that log in as themselves, and a server that looks tokens up. */
const CLIENTS = [
  {
    client_id: 'robot',
    client_secret: 'a secret of the robot',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: SCOPES,
  },
  {
    client_id: 'signer',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: {
      keys: [{ ...(KEYS.publicKey.export({ format: 'jwk' }) as object), kid: 'signer', alg: 'ES256' }],
    },
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: SCOPES,
  },
  {
    client_id: 'server',
    client_secret: 'a secret of the server',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: SCOPES,
  },
];

interface Provider {
  readonly issuer: string;
  readonly process: ServerProcess;
}

async function startProvider(
  more: readonly string[] = [],
  { port, env = {} }: { readonly port?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Provider> {
  const at = port ?? (await freePort());
  const clients = JSON.stringify(CLIENTS);
  const args = ['--port', String(at), '--scopes', SCOPES, '--clients', clients, ...more];
  const process = new ServerProcess(PROVIDER, args, env);
  const issuer = `http://127.0.0.1:${at}`;
  await until(() => answers(`${issuer}/jwks`));
  return { issuer, process };
}

afterEach(closeUsers);
afterAll(endProcesses);

describe('a server behind an authorization server, with the official client', () => {
  let provider: Provider;
  let server: Protected;
  beforeAll(async () => {
    provider = await startProvider();
    server = await startProtected(provider);
  });

  test.each(['auto', 'legacy'] as const)(
    'serves who has logged in, and asks for more scopes when they are needed, in the mode %s [A9]',
    async (mode) => {
      const client = await openUser(server.address, new LoggedInUser('ada'), mode);
      expect(JSON.parse(await client.call('whoami'))).toMatchObject({
        id: `${provider.issuer}#ada`,
        scopes: ['mcp'],
        claims: { iss: provider.issuer, sub: 'ada', aud: server.address },
      });
      expect(await client.call('write')).toBe('written');
      expect(await client.call('read')).toBe('read');
      // The second time for what the first token had, too.
      expect(client.user.asked).toEqual(['mcp', 'mcp files:write']);
    },
  );

  test('serves a program that logs in as itself', async () => {
    const authProvider = new ClientCredentialsProvider({
      clientId: 'robot',
      clientSecret: 'a secret of the robot',
      scope: SCOPES,
      expectedIssuer: provider.issuer,
    });
    const client = new Client({ name: 'robot', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.address), { authProvider }));
    const { content } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(JSON.stringify(content)).toContain(`${provider.issuer}#client:robot`);
    await client.close();
  });

  test('serves a program that logs in by an assertion of its own', async () => {
    const authProvider = new PrivateKeyJwtProvider({
      clientId: 'signer',
      privateKey: KEYS.privateKey.export({ format: 'pem', type: 'pkcs8' }),
      algorithm: 'ES256',
      scope: SCOPES,
      expectedIssuer: provider.issuer,
    });
    const client = new Client({ name: 'robot', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.address), { authProvider }));
    const { content } = await client.callTool({ name: 'write', arguments: {} });
    expect(JSON.stringify(content)).toContain('written');
    await client.close();
  });

  test('tells one user from another', async () => {
    const [ada, bob] = [
      await openUser(server.address, new LoggedInUser('ada')),
      await openUser(server.address, new LoggedInUser('bob')),
    ];
    expect(
      [await ada.call('whoami'), await bob.call('whoami')].map(
        (text) => (JSON.parse(text) as { id: string }).id,
      ),
    ).toEqual([`${provider.issuer}#ada`, `${provider.issuer}#bob`]);
  });

  test('says nothing of tokens in its log', () => {
    expect(server.process.stderr).not.toMatch(/eyJ[A-Za-z0-9_-]{10}/);
    expect(server.process.stdout).not.toMatch(/eyJ[A-Za-z0-9_-]{10}/);
  });
});

describe('a server that serves the metadata of its issuer', () => {
  const AS_METADATA = '/.well-known/oauth-authorization-server';

  /** Fetches as a client of 2025-03-26 does, which does not know the metadata of a resource. */
  const withoutResourceMetadata: typeof fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return Promise.resolve(new Response(null, { status: 404 }));
    return fetch(input, init);
  };

  test('logs in a client that takes the server for the authorization server, and names neither it nor a scope', async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}/mcp`;
    const provider = await startProvider(['--resource', address]);
    await startProtected(provider, { serveIssuerMetadata: true, scopes: {} }, { PORT: String(port) });
    const user = new LoggedInUser('ada');
    const open = (): [OlderClient, OlderTransport] => [
      new OlderClient({ name: 'older', version: '1.0.0' }),
      new OlderTransport(new URL(address), { authProvider: user, fetch: withoutResourceMetadata }),
    ];

    const [client, transport] = open();
    await expect(client.connect(transport as Parameters<OlderClient['connect']>[0])).rejects.toThrow(
      OlderUnauthorizedError,
    );
    await transport.finishAuth(user.callback?.get('code') ?? '');
    const [again, secondTransport] = open();
    await again.connect(secondTransport as Parameters<OlderClient['connect']>[0]);
    const { content } = await again.callTool({ name: 'whoami', arguments: {} });
    await again.close();

    expect(user.asked).toEqual(['']);
    expect(JSON.stringify(content)).toContain(`${provider.issuer}#ada`);
    expect(JSON.stringify(content)).toContain('mcp');
  });

  test('answers 503 while its issuer does not answer', async () => {
    const issuerPort = await freePort();
    const server = await startProtected(
      { issuer: `http://127.0.0.1:${issuerPort}` },
      { serveIssuerMetadata: true },
    );
    const response = await fetch(new URL(AS_METADATA, server.address));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await until(() => server.process.stderr.includes('the metadata of the issuer cannot be sent to clients'));
  });

  test('has none without the option', async () => {
    const provider = await startProvider();
    const server = await startProtected(provider);
    expect((await fetch(new URL(AS_METADATA, server.address))).status).toBe(404);
  });
});

describe('a server that serves anonymous clients', () => {
  let provider: Provider;
  beforeAll(async () => (provider = await startProvider()));

  test.each(['auto', 'legacy'] as const)(
    'goes on with a client whose user logs in for a tool, in the mode %s',
    async (mode) => {
      const server = await startProtected(provider, { anonymous: 'allow' });
      const client = await openUser(server.address, new LoggedInUser(), mode);
      expect(await client.call('whoami')).toBe('null');
      expect(await client.call('write')).toBe('written');
      expect(JSON.parse(await client.call('whoami'))).toMatchObject({ id: `${provider.issuer}#ada` });
    },
  );
});

const withOpenssl = noOpenssl === undefined ? describe : describe.skip;
withOpenssl(`a client that describes itself${noOpenssl === undefined ? '' : ` (${noOpenssl})`}`, () => {
  let document: MetadataDocument;
  let provider: Provider;
  beforeAll(async () => {
    document = await MetadataDocument.serve(new LoggedInUser().clientMetadata);
    const env = { NODE_EXTRA_CA_CERTS: document.certificate };
    provider = await startProvider(['--metadata-documents'], { env });
  });
  afterAll(() => document.stop());

  test.each(['auto', 'legacy'] as const)(
    'logs its user in without registering, in the mode %s',
    async (mode) => {
      const server = await startProtected(provider);
      const user = new LoggedInUser('ada', { metadataUrl: document.url });
      const client = await openUser(server.address, user, mode);
      expect(JSON.parse(await client.call('whoami'))).toMatchObject({
        id: `${provider.issuer}#ada`,
        claims: { client_id: document.url, aud: server.address },
      });
      expect(await client.call('write')).toBe('written');
      expect(user.asked).toEqual(['mcp', 'mcp files:write']);
      expect(user.clientInformation()?.client_id).toBe(document.url);
      expect(document.asked).toBeGreaterThan(0);
    },
  );

  test('registers where its authorization server reads no such documents', async () => {
    const other = await startProvider();
    const server = await startProtected(other);
    const user = new LoggedInUser('ada', { metadataUrl: document.url });
    expect(await (await openUser(server.address, user)).call('whoami')).toContain(`${other.issuer}#ada`);
    expect(user.clientInformation()?.client_id).not.toBe(document.url);
  });
});

describe('tokens that are looked up', () => {
  test('are served as those with a signature are', async () => {
    const provider = await startProvider(['--format', 'opaque']);
    const server = await startProtected(
      provider,
      {},
      {
        INTROSPECTION: JSON.stringify({ clientId: 'server', clientSecret: 'a secret of the server' }),
      },
    );
    const client = await openUser(server.address);
    expect(JSON.parse(await client.call('whoami'))).toMatchObject({ id: `${provider.issuer}#ada` });
    expect(await client.call('write')).toBe('written');
  });
});

describe('proofs of possession', () => {
  test.each([false, true])('are taken from the official client, with nonces: %s', async (nonces) => {
    const provider = await startProvider(nonces ? ['--nonces'] : []);
    const server = await startProtected(provider, { dpop: 'require', dpopNonce: nonces });
    const client = await openUser(server.address, new LoggedInUser('ada', { dpop: true }));
    expect(JSON.parse(await client.call('whoami'))).toMatchObject({ id: `${provider.issuer}#ada` });
    expect(await client.call('write')).toBe('written');
  });
});

describe('an authorization server', () => {
  test('may change its keys without a restart of the server', async () => {
    const provider = await startProvider();
    const server = await startProtected(provider);
    expect(await (await openUser(server.address)).call('whoami')).toContain('ada');
    await endProcess(provider.process);
    const port = Number(new URL(provider.issuer).port);
    await startProvider([], { port });
    expect(await (await openUser(server.address, new LoggedInUser('eve'))).call('whoami')).toContain('eve');
  });

  test('may be down: known keys go on being used, and without any it is 503', async () => {
    const provider = await startProvider();
    const [server, late] = [await startProtected(provider), await startProtected(provider)];
    const user = new LoggedInUser();
    const client = await openUser(server.address, user);
    await endProcess(provider.process);
    expect(await client.call('whoami')).toContain('ada');
    const headers = { Authorization: `Bearer ${user.tokens()?.access_token}` };
    const refused = await fetch(late.address, { method: 'POST', headers });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
  });
});

// What the conformance suite will ask of resource servers, read before it was merged: token audience (2ce0024), DPoP (c51d060),
// protected resource metadata and challenges (891372b), and scope challenges (its issue 480).
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { endProcesses, EVERYTHING, freePort, ServerProcess, until } from './processes.js';

type Key = Parameters<SignJWT['sign']>[0];

/** An issuer that signs tokens, and shows its keys where its metadata says. */
interface Issuer {
  readonly id: string;
  readonly server: Server;
  readonly key: Key;
}

const KID = 'conformance';

async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: KID, alg: 'RS256', use: 'sig' }];
  const server = createServer((request, response) => {
    const metadata = { issuer: id, jwks_uri: `${id}/.well-known/jwks.json` };
    const known = new Map<string, object>([
      ['/.well-known/oauth-authorization-server', metadata],
      ['/.well-known/jwks.json', { keys }],
    ]);
    const body = known.get(request.url ?? '');
    response
      .writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { id, server, key: privateKey };
}

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(async () => {
  await endProcesses();
  issuer.server.close();
});

async function startEverything(options: object): Promise<string> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const AUTHORIZATION = JSON.stringify({ resource, issuers: [issuer.id], ...options });
  const process = new ServerProcess(EVERYTHING, [], { PORT: String(port), AUTHORIZATION });
  await until(() => {
    if (process.child.exitCode !== null) throw new Error(process.stderr);
    return fetch(resource).then(
      () => true,
      () => false,
    );
  });
  return resource;
}

function token(claims: JWTPayload, key: Key = issuer.key): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: issuer.id,
    sub: 'user',
    client_id: 'client',
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: KID, typ: 'at+jwt' })
    .sign(key);
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'conformance', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** What every server takes without more ado, by era. */
const PROBES: Readonly<Record<string, object>> = {
  '2026-07-28': { method: 'server/discover', params: { _meta: ENVELOPE } },
  '2025-11-25': {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  },
};

interface Answer {
  readonly status: number;
  readonly challenge: string;
  readonly nonce: string | undefined;
}

/** Sends a request with headers as they are, twice the same name if so. */
function post(
  url: string,
  version: string,
  message: object,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Answer> {
  const { method, params } = message as {
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  };
  const name = params['name'] ?? params['uri'];
  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': version,
          ...(version === '2026-07-28'
            ? { 'Mcp-Method': method, ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}) }
            : {}),
          ...(headers as Record<string, string | string[]>),
        },
      },
      (response) => {
        response.resume();
        const nonce = response.headers['dpop-nonce'];
        resolve({
          status: response.statusCode ?? 0,
          challenge: response.headers['www-authenticate'] ?? '',
          nonce: typeof nonce === 'string' ? nonce : undefined,
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }));
  });
}

const probe = (
  url: string,
  version: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Answer> => post(url, version, PROBES[version] ?? {}, headers);
const bearer = (sent: string): Record<string, string> => ({ Authorization: `Bearer ${sent}` });

describe.each(Object.keys(PROBES))('token audience, by %s', (version) => {
  let url: string;
  beforeAll(async () => {
    url = await startEverything({});
  });

  test('a token for this server is taken [A12]', async () => {
    expect((await probe(url, version, bearer(await token({ aud: url })))).status).toBe(200);
  });

  test('no token, and one for another server, for none, expired or of a foreign key is refused with 401 [A5] [A12]', async () => {
    const foreign = await generateKeyPair('RS256');
    const refused = [
      {},
      bearer(await token({ aud: 'https://other.example/mcp' })),
      bearer(await token({})),
      bearer(await token({ aud: url, iat: 1, exp: Math.floor(Date.now() / 1000) - 60 })),
      bearer(await token({ aud: url }, foreign.privateKey)),
    ];
    for (const headers of refused) expect((await probe(url, version, headers)).status).toBe(401);
  });

  test('the challenge leads to metadata whose resource is this server [A1] [A2] [A3]', async () => {
    const { challenge } = await probe(url, version);
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const metadata = (await (await fetch(metadataUrl)).json()) as Record<string, unknown>;
    expect(metadata).toMatchObject({ resource: url, authorization_servers: [issuer.id] });
    expect(challenge).not.toContain('error=');
  });
});

describe('protected resource metadata', () => {
  test('is at the path of the endpoint and at the root, as JSON, for everybody [A1] [A3]', async () => {
    const url = await startEverything({});
    for (const path of [
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ]) {
      const response = await fetch(new URL(path, url));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      const { authorization_servers: servers } = (await response.json()) as {
        authorization_servers: string[];
      };
      for (const server of servers) expect(URL.canParse(server)).toBe(true);
    }
  });
});

describe.each(Object.keys(PROBES))('scope challenges, by %s', (version) => {
  const LOW = 'mcp-conformance-scope-low';
  const FULL = 'mcp-conformance-scope-full';
  const CALLS: readonly (readonly [object, readonly string[]])[] = [
    [
      { method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } },
      ['tools:call', 'tools:test_simple_text'],
    ],
    [
      { method: 'resources/read', params: { uri: 'test://static-text' } },
      ['resources:read', 'resources:static'],
    ],
    [
      { method: 'resources/read', params: { uri: 'test://template/123/data' } },
      ['resources:read', 'resources:template:123'],
    ],
    [
      { method: 'prompts/get', params: { name: 'test_simple_prompt' } },
      ['prompts:get', 'prompts:test_simple_prompt'],
    ],
  ];
  const scopes = (names: readonly string[]): string =>
    names.map((name) => `mcp:conformance:${name}`).join(' ');
  let url: string;
  beforeAll(async () => {
    const all = CALLS.flatMap(([, names]) => names);
    url = await startEverything({
      anonymous: 'allow',
      opaque: { [LOW]: 'mcp:conformance:baseline', [FULL]: scopes(all) },
    });
  });

  /** Sends a call in a session of its own, where the era has them. */
  async function call(message: object, headers: Record<string, string> = {}): Promise<Answer> {
    if (version === '2026-07-28') {
      const { method, params } = message as { method: string; params: object };
      return post(url, version, { method, params: { ...params, _meta: ENVELOPE } }, headers);
    }
    const opened = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, ...PROBES[version] }),
    });
    await opened.text();
    return post(url, version, message, {
      ...headers,
      'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '',
    });
  }

  test.each(CALLS)(
    '%j is open without a token, and to who has its scopes; to others it is 403 and all of them [A6] [A7]',
    async (message, names) => {
      expect((await call(message)).status).toBe(200);
      expect((await call(message, bearer(FULL))).status).toBe(200);
      const refused = await call(message, bearer(LOW));
      expect(refused.status).toBe(403);
      expect(refused.challenge).toMatch(/^Bearer error="insufficient_scope"/);
      expect(refused.challenge).toContain(`scope="${scopes(names)}"`);
      expect(refused.challenge).toContain('resource_metadata="http://127.0.0.1:');
    },
  );
});

describe.each(Object.keys(PROBES))('DPoP, by %s', (version) => {
  let url: string;
  let key: { readonly privateKey: Key; readonly jwk: JWK; readonly secret: JWK };
  let bound: string;
  beforeAll(async () => {
    url = await startEverything({ dpop: 'accept' });
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    key = { privateKey, jwk: await exportJWK(publicKey), secret: await exportJWK(privateKey) };
    bound = await token({ aud: url, cnf: { jkt: await calculateJwkThumbprint(key.jwk) } });
  });

  function proof(
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    ath = bound,
  ): Promise<string> {
    const right = {
      jti: randomUUID(),
      htm: 'POST',
      htu: url,
      iat: Math.floor(Date.now() / 1000),
      ath: createHash('sha256').update(ath).digest('base64url'),
    };
    return new SignJWT({ ...right, ...claims })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, ...header })
      .sign(key.privateKey);
  }
  const proven = (dpop: string | readonly string[], sent = bound): Promise<Answer> =>
    probe(url, version, { Authorization: `DPoP ${sent}`, DPoP: dpop });

  test('a bound token with its proof is taken', async () => {
    expect((await proven(await proof())).status).toBe(200);
  });

  test('whatever is wrong with a proof is 401 and a challenge of DPoP', async () => {
    const now = Math.floor(Date.now() / 1000);
    const good = await proof();
    const other = await generateKeyPair('ES256', { extractable: true });
    const wrong: [string, string | readonly string[]][] = [
      ['tampered signature', `${good.slice(0, -4)}AAAA`],
      ['missing jti', await proof({ jti: undefined })],
      ['wrong typ', await proof({}, { typ: 'jwt' })],
      ['htu mismatch', await proof({ htu: 'https://wrong.example.com/mcp' })],
      ['htm mismatch', await proof({ htm: 'GET' })],
      ['private key in jwk', await proof({}, { jwk: key.secret })],
      ['wrong ath', await proof({ ath: 'not-the-right-hash' })],
      ['two headers', [await proof(), await proof()]],
      ['missing htm', await proof({ htm: undefined })],
      ['missing htu', await proof({ htu: undefined })],
      ['missing iat', await proof({ iat: undefined })],
      ['missing jwk', await proof({}, { jwk: undefined })],
      ['missing ath', await proof({ ath: undefined })],
      ['no JWT', 'this-is-not-a-jwt'],
      ['foreign key', await proof({}, { jwk: await exportJWK(other.publicKey) })],
      ['too old', await proof({ iat: now - 303 })],
      ['of the future', await proof({ iat: now + 303 })],
    ];
    for (const [what, dpop] of wrong)
      expect([what, await proven(dpop)]).toMatchObject([
        what,
        { status: 401, challenge: expect.stringMatching(/^DPoP /) },
      ]);
  });

  test('a proof is taken at both ends of its five minutes; with a nonce where the process is younger', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await proven(await proof({ iat: now + 295 }))).status).toBe(200);
    const old = await proven(await proof({ iat: now - 295 }));
    expect(old).toMatchObject({
      status: 401,
      challenge: expect.stringMatching(/^DPoP error="use_dpop_nonce"/),
    });
    expect((await proven(await proof({ iat: now - 295, nonce: old.nonce }))).status).toBe(200);
  });

  test('a token of another key, and one for another server, is refused', async () => {
    const foreign = await token({ aud: url, cnf: { jkt: 'x'.repeat(43) } });
    expect((await proven(await proof({}, {}, foreign), foreign)).status).toBe(401);
    const elsewhere = await token({
      aud: 'https://other.example/mcp',
      cnf: { jkt: await calculateJwkThumbprint(key.jwk) },
    });
    expect((await proven(await proof({}, {}, elsewhere), elsewhere)).status).toBe(401);
  });

  test('a bound token is nothing as a bearer token', async () => {
    const refused = await probe(url, version, { ...bearer(bound), DPoP: await proof() });
    expect(refused).toMatchObject({
      status: 401,
      challenge: expect.stringMatching(/^DPoP error="invalid_token", algs="ES256 /),
    });
  });
});

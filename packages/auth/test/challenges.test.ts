import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Arg, Param, Prompt, RequireScopes, Resource, Service, Tool, ToolContext } from '@sigil/core';
import { jwt } from '../src/index.js';
import { Challenges } from '../src/challenges.js';
import { LocalIssuer } from './fixtures/issuer.js';
import { ProtectedServer } from './fixtures/server.js';

@Service()
class Files {
  @Tool()
  hello(ctx: ToolContext): string {
    return `Hello, ${ctx.principal?.id}`;
  }

  @Tool()
  claims(ctx: ToolContext): string {
    return JSON.stringify(ctx.principal?.claims);
  }

  @Tool()
  @RequireScopes('files:read')
  list(): string {
    return 'a.txt';
  }

  @Tool()
  @RequireScopes('files:write', ({ folder }: { folder: string }) => [`folders:${folder}`])
  write(@Arg('folder') folder: string): string {
    return `wrote to ${folder}`;
  }

  @Resource('files://readme')
  @RequireScopes('files:read')
  readme(): string {
    return 'Read me';
  }

  @Resource('files://{name}')
  @RequireScopes(({ name }: { name: string }) => [`files:read:${name}`])
  file(@Param('name') name: string): string {
    return name;
  }

  @Prompt()
  @RequireScopes('prompts')
  review(): string {
    return 'Review this';
  }
}

let issuer: LocalIssuer;
let server: ProtectedServer;
const metadataUrl = (): string =>
  server.resource.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
const token = (scope: string, claims = {}): Promise<string> =>
  issuer.token({ aud: server.resource, scope, ...claims });

beforeAll(async () => {
  issuer = await LocalIssuer.start();
  server = await ProtectedServer.start([Files], () => ({
    issuers: [issuer.id],
    tokens: jwt({ algorithms: ['ES256'] }),
    scopes: {
      initial: ['mcp'],
      implies: {
        admin: ['files:admin'],
        'files:admin': ['files:write', 'admin'],
        'files:write': ['files:read'],
      },
    },
  }));
});

afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

describe('a request', () => {
  test('without a token is told where to get one, and of no error [A3] [A4] [A5] [A19] [checklist 49]', async () => {
    const refused = await server.call('hello');
    expect(refused.status).toBe(401);
    expect(ProtectedServer.challenge(refused)).toBe(
      `Bearer resource_metadata="${metadataUrl()}", scope="mcp"`,
    );
  });

  test('with a good token is served for its principal, whose id holds the issuer [A16]', async () => {
    const served = await server.call('hello', {}, { token: await token('mcp') });
    expect(served.status).toBe(200);
    expect(await served.text()).toContain(`Hello, ${issuer.id}#ada`);
  });

  test.each([
    ['of a user', { sub: 'bob', client_id: 'app' }, 'bob'],
    ['of a client that is its own subject (RFC 9068)', { sub: 'bob', client_id: 'bob' }, 'client:bob'],
    ['of such a client as OpenID Connect names it', { sub: 'bob', azp: 'bob' }, 'client:bob'],
    ['of such a client as Okta names it', { sub: 'bob', cid: 'bob' }, 'client:bob'],
    ['of a user who is called as clients are', { sub: 'client:bob', client_id: 'app' }, 'subject:client:bob'],
  ])('with a token %s is of a principal that no other kind has', async (_what, claims, id) => {
    const served = await server.call('hello', {}, { token: await token('mcp', claims) });
    expect(await served.text()).toContain(`"Hello, ${issuer.id}#${id}"`);
  });

  test.each([
    ['no subject', { sub: undefined, client_id: 'app', azp: 'app' }, 'has no subject'],
    ['a number as subject', { sub: 7, client_id: 'app' }, 'sub of the token is not a string'],
    ['an empty subject', { sub: '', client_id: 'app' }, 'sub of the token is not a string'],
    ['null as subject', { sub: null }, 'sub of the token is not a string'],
  ])('with a token with %s is of no principal, whose users would be one', async (_what, claims, reason) => {
    const refused = await server.call('hello', {}, { token: await token('mcp', claims as object) });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining(reason),
    ]);
    expect(server.log.join()).toContain('writes invalid claims');
  });

  test('with a token without a subject is of its client where every user has a subject', async () => {
    const programs = await ProtectedServer.start([Files], () => ({
      issuers: [issuer.id],
      tokens: jwt({ algorithms: ['ES256'] }),
      clientsWithoutSubject: true,
    }));
    const withoutSubject: object = { sub: undefined };
    const sent = (claims: object): Promise<string> =>
      issuer.token({ aud: programs.resource, client_id: 'app', ...withoutSubject, ...claims });
    const served = await programs.call('hello', {}, { token: await sent({}) });
    expect(await served.text()).toContain(`"Hello, ${issuer.id}#client:app"`);
    expect((await programs.call('hello', {}, { token: await sent({ username: 'ada' }) })).status).toBe(401);
    await programs.stop();
  });

  test.each([
    ['the issuer', { iss: 'http://127.0.0.1:1/' }, '"issuer":"http://127.0.0.1:1/"'],
    ['the audience', { aud: ['other'] }, String.raw`"audience":"[\"other\"]"`],
  ])(
    'with a token that is refused for %s is logged with that, which its client is not told',
    async (_what, claims, logged) => {
      const refused = await server.call('hello', {}, { token: await token('mcp', claims) });
      expect(refused.status).toBe(401);
      expect(server.log.join()).toContain(logged);
      expect(JSON.stringify([...refused.headers]) + (await refused.text())).not.toMatch(
        /127\.0\.0\.1:1\/|other/,
      );
    },
  );

  test.each([
    ['that has expired', { exp: 1 }, 'The token has expired'],
    ['for another server', { aud: 'https://other.example/mcp' }, 'The token was not issued for this server'],
    ['for none', { aud: undefined }, 'The token was not issued for this server'],
    [
      'of another issuer',
      { iss: 'https://other.example' },
      'This server does not accept the issuer of the token',
    ],
    ['without an expiry', { exp: undefined }, 'The token could not be verified'],
    [
      'bound to a certificate',
      { cnf: { 'x5t#S256': 'a' } },
      'The claim cnf binds the token to a key in a way that this server cannot check',
    ],
  ])('with a token %s is told so [A5] [A12]', async (_what, claims, description) => {
    const refused = await server.call('hello', {}, { token: await token('mcp', claims) });
    expect(refused.status).toBe(401);
    expect(ProtectedServer.challenge(refused)).toBe(
      `Bearer error="invalid_token", resource_metadata="${metadataUrl()}", scope="mcp", error_description="${description}"`,
    );
  });

  test.each(['Bearer', 'Bearer a b', 'Basic YTpi', 'nonsense'])(
    'with the malformed credentials "%s" is refused with 400 [A5]',
    async (authorization) => {
      const refused = await server.call('hello', {}, { headers: { Authorization: authorization } });
      expect(refused.status).toBe(400);
      expect(ProtectedServer.challenge(refused)).toMatch(
        /^Bearer error="invalid_request", resource_metadata="/,
      );
    },
  );

  test.each(['access_token', '%61ccess_token'])(
    'with a token in its address as %s is refused with 400 [A11]',
    async (name) => {
      const url = `${server.resource}?${name}=${await token('mcp')}`;
      const refused = await fetch(url, { method: 'POST', body: '{}' });
      expect(refused.status).toBe(400);
    },
  );
});

test('a challenge names as many scopes as clients take in a header, whole ones', () => {
  const scopes = Array.from({ length: 100 }, (_, at) => `files:${String(at).padStart(250, 'p')}`);
  const parts = { metadataUrl: 'https://a.example/', initialScopes: scopes, proofAlgorithms: [] };
  const challenges = new Challenges(parts);
  const refusals = [
    challenges.insufficientScope('Bearer', scopes),
    challenges.noToken('Bearer'),
    challenges.invalidToken('Bearer', 'no'),
  ];
  for (const { headers } of refusals) {
    const [, named = ''] = /scope="([^"]*)"/.exec(headers['WWW-Authenticate'] ?? '') ?? [];
    expect(named.split(' ')).toEqual(scopes.slice(0, 15));
  }
});

describe('a missing scope', () => {
  const insufficient = (scope: string): string =>
    `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadataUrl()}", error_description="The token lacks a scope"`;

  test('of a tool is answered with 403 and all scopes of the call [A6] [A7] [checklist 49]', async () => {
    const refused = await server.call(
      'write',
      { folder: 'notes' },
      { token: await token('mcp files:write') },
    );
    expect(refused.status).toBe(403);
    expect(ProtectedServer.challenge(refused)).toBe(insufficient('files:write folders:notes'));
    expect(await refused.json()).toMatchObject({
      error: {
        code: 403,
        data: { authorization: { reason: 'insufficient_scope', scopes: ['files:write', 'folders:notes'] } },
      },
    });
  });

  test.each([
    ['another scope', 'files:write'],
    ['one that implies that one', 'files:admin'],
    ['one three steps away, in a circle', 'admin'],
    ['one of several', 'mcp admin'],
  ])('is not missed where %s implies it [A8]', async (_what, scope) => {
    const served = await server.call('list', {}, { token: await token(scope) });
    expect(served.status).toBe(200);
  });

  test('is missed where only what it implies is granted', async () => {
    const refused = await server.call('write', { folder: 'notes' }, { token: await token('files:read') });
    expect(refused.status).toBe(403);
  });

  test('leaves arguments that are wrong to their own answer', async () => {
    const answered = await server.call('write', { folder: 7 }, { token: await token('files:write') });
    expect(answered.status).toBe(200);
    expect(await answered.json()).toMatchObject({ result: { isError: true } });
  });

  test.each([
    ['a resource', 'resources/read', { uri: 'files://readme' }, 'files:read'],
    ['a template, by its variable', 'resources/read', { uri: 'files://a' }, 'files:read:a'],
    ['a prompt', 'prompts/get', { name: 'review' }, 'prompts'],
    [
      'resources to listen to, in one challenge',
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['files://readme', 'files://a'] } },
      'files:read files:read:a',
    ],
  ])('of %s is answered with 403 [A6] [A7]', async (_what, method, params, scopes) => {
    const refused = await server.post(method, params, { token: await token('mcp') });
    expect(refused.status).toBe(403);
    expect(ProtectedServer.challenge(refused)).toBe(insufficient(scopes));
  });

  test('is in the log, with who lacks it', async () => {
    await server.call('list', {}, { token: await token('mcp') });
    const line = server.log.find((each) => each.includes('"scopes":"files:read"'));
    expect(line).toContain('"status":403');
    expect(line).toContain(`${issuer.id}#ada`);
  });

  test('hides nothing from lists: a client learns what it could ask for', async () => {
    const listed = await server.post('tools/list', {}, { token: await token('mcp') });
    expect(await listed.text()).toContain('"write"');
  });
});

describe('the metadata', () => {
  test.each(['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'])(
    'is at %s for everybody, whatever Host says [A1] [A2] [A3] [A18]',
    async (path) => {
      const url = new URL(path, server.resource);
      const answered = await fetch(url, { headers: { Origin: 'https://page.example' } });
      expect(answered.status).toBe(200);
      expect(answered.headers.get('access-control-allow-origin')).toBe('*');
      expect(answered.headers.get('cache-control')).toBe('public, max-age=3600');
      expect(await answered.json()).toEqual({
        resource: server.resource,
        authorization_servers: [issuer.id],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
      });
      const etag = answered.headers.get('etag') ?? '';
      expect((await fetch(url, { headers: { 'If-None-Match': etag } })).status).toBe(304);
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204);
      expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    },
  );

  // A server that issues tokens by one client of its own has to ask users for each client that registers.
  test.each(['/.well-known/oauth-authorization-server', '/authorize', '/token', '/register'])(
    'is of no authorization server: %s is refused as anything else is [A15]',
    async (path) => {
      for (const method of ['GET', 'POST'])
        expect((await fetch(new URL(path, server.resource), { method })).status).toBe(401);
    },
  );

  test.each([
    ['HTTPS://MCP.Example.com/Notes', 'https://mcp.example.com/Notes'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['https://mcp.example.com:443/mcp', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com/mcp/', 'https://mcp.example.com/mcp/'],
  ])('calls %s what clients call it: %s [A14]', async (resource, canonical) => {
    const other = await ProtectedServer.start([Files], () => ({
      resource,
      issuers: [issuer.id],
      tokens: jwt({ algorithms: ['ES256'] }),
    }));
    const url = new URL('/.well-known/oauth-protected-resource', other.resource);
    expect(await (await fetch(url)).json()).toMatchObject({ resource: canonical });
    // A slash at the end names another resource, which is seldom meant.
    expect(other.log.some((line) => line.includes('ends in a slash'))).toBe(canonical.endsWith('/'));
    await other.stop();
  });
});

describe('a stream that stays open', () => {
  test('ends once its token has expired', async () => {
    const short = await ProtectedServer.start(
      [Files],
      () => ({ issuers: [issuer.id], tokens: jwt({ algorithms: ['ES256'], clockToleranceSeconds: 0 }) }),
      { reauthenticateMs: 200 },
    );
    const exp = Math.floor(Date.now() / 1000) + 5;
    const expiring = await issuer.token({ aud: short.resource, exp });
    const listening = await short.post('subscriptions/listen', { notifications: {} }, { token: expiring });
    expect(listening.status).toBe(200);
    await listening.text();
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000 - 50);
    await short.stop();
  });
});

test('no token is in the log or in what handlers see [A13]', async () => {
  const good = await token('mcp');
  const seen = await (await server.call('claims', {}, { token: good })).text();
  const bad = await token('mcp', { exp: 1 });
  await server.call('hello', {}, { token: bad });
  for (const text of [seen, ...server.log]) {
    expect(text).not.toContain(good.split('.')[2]);
    expect(text).not.toContain(bad.split('.')[2]);
  }
});

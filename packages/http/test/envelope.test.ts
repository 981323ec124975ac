import { expect, test } from '@jest/globals';
import {
  call,
  callModern,
  json,
  META,
  MODERN,
  post,
  postModern,
  request,
  textOf,
} from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';
import { describeBridges } from './fixtures/suite.js';

const MODERN_HEADERS = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' };

describeBridges('the envelope of a modern request', (bench) => {
  test.each(['2025-11-25', '2024-11-05', '2099-01-01', 'nonsense', ''])(
    'the version "%s" is refused with 400, -32022 and what is supported [checklist 5]',
    async (version) => {
      const meta = { [META.version]: version };
      // A header that is empty stays in, so it is not left out by the helper.
      const headers = { 'MCP-Protocol-Version': version === '' ? ' ' : version };
      const response = await postModern(bench(), 'tools/list', {}, { id: 4, meta, headers });
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({
        id: 4,
        error: { code: -32022, data: { supported: [MODERN], requested: version } },
      });
    },
  );

  test.each(['server/discover', 'tools/list', 'tools/call'])(
    '%s without _meta is refused with 400 and -32602, with its id [checklist 2]',
    async (method) => {
      const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method };
      for (const params of [undefined, {}, { _meta: {} }, { _meta: { [META.capabilities]: {} } }]) {
        const response = await post(bench(), request(method, params, 'x'), headers);
        expect(response.status).toBe(400);
        expect(await json(response)).toMatchObject({ id: 'x', error: { code: -32602 } });
      }
    },
  );

  test.each([undefined, null, 'all', []])(
    'client capabilities that are %j are refused with 400 and -32602 [checklist 2]',
    async (capabilities) => {
      const meta = { [META.capabilities]: capabilities };
      for (const method of ['tools/list', 'server/discover']) {
        const response = await postModern(bench(), method, {}, { id: 'x', meta });
        expect(response.status).toBe(400);
        expect(await json(response)).toMatchObject({ id: 'x', error: { code: -32602 } });
      }
    },
  );

  test('clientInfo may be absent [checklist 3]', async () => {
    expect((await callModern(bench(), 'echo', { text: 'a' })).status).toBe(200);
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
    '__proto__',
  ])('%s is unknown here: 404 and -32601 with its id [checklist 6]', async (method) => {
    const params = { uri: 'note://1', level: 'info', protocolVersion: MODERN, capabilities: {} };
    const response = await postModern(bench(), method, params, { id: 'x', headers: { 'Mcp-Name': '' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await json(response)).toMatchObject({ id: 'x', error: { code: -32601 } });
  });

  test('a tool that needs what the client cannot do: 400, -32021 and what is missing [checklist 42]', async () => {
    const response = await callModern(bench(), 'ask', {}, { id: 'x' });
    expect(response.status).toBe(400);
    const { id, error } = await json(response);
    expect({ id, code: error?.code }).toEqual({ id: 'x', code: -32021 });
    const { requiredCapabilities } = error?.data as { requiredCapabilities: Record<string, unknown> };
    expect(requiredCapabilities).toHaveProperty('elicitation');
  });

  test('no session is opened or looked at [checklist 8]', async () => {
    for (const id of ['', 'unknown', (await openSession(bench())).id]) {
      const headers = { 'Mcp-Session-Id': id };
      const response = await callModern(bench(), 'echo', { text: 'a' }, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('mcp-session-id')).toBeNull();
    }
  });

  test('every result says that it is complete [checklist 10]', async () => {
    for (const method of ['server/discover', 'tools/list', 'prompts/list', 'resources/templates/list']) {
      const { result } = await json(await postModern(bench(), method));
      expect(result?.['resultType']).toBe('complete');
      expect(Number.isInteger(result?.['ttlMs'])).toBe(true);
      expect(['public', 'private']).toContain(result?.['cacheScope']);
    }
    expect((await json(await callModern(bench(), 'echo', { text: 'a' }))).result?.['resultType']).toBe(
      'complete',
    );
  });

  test('server/discover says which versions requests may carry', async () => {
    const { result } = await json(await postModern(bench(), 'server/discover'));
    expect(result?.['supportedVersions']).toEqual([MODERN]);
    expect(result?.['capabilities']).toHaveProperty('tools');
  });

  test('equal ids of many clients at once get their own answers [checklist 25]', async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `text ${at}`);
    const answers = await Promise.all(
      texts.map(async (text) => json(await callModern(bench(), 'echo', { text }, { id: 1 }))),
    );
    expect(answers.map(textOf)).toEqual(texts);
  });

  test('both eras are served side by side, in any order [checklist 8]', async () => {
    const session = await openSession(bench(), '2025-06-18');
    for (let turn = 0; turn < 3; turn++) {
      const legacy = await json(await session.post(call('echo', { text: `legacy ${turn}` }, turn)));
      expect(textOf(legacy)).toBe(`legacy ${turn}`);
      expect(legacy.result).not.toHaveProperty('resultType');
      const modern = await json(await callModern(bench(), 'echo', { text: `modern ${turn}` }, { id: turn }));
      expect(textOf(modern)).toBe(`modern ${turn}`);
      expect(modern.result).toHaveProperty('resultType', 'complete');
    }
    const [legacy, modern] = await Promise.all([
      session.post(call('count', {}, 1, { progressToken: 'legacy' })).then((response) => response.text()),
      callModern(bench(), 'count', {}, { meta: { progressToken: 'modern' } }).then((response) =>
        response.text(),
      ),
    ]);
    expect(legacy).toContain('"progressToken":"legacy"');
    expect(legacy).not.toContain('"progressToken":"modern"');
    expect(modern).toContain('"progressToken":"modern"');
    expect(modern).not.toContain('"progressToken":"legacy"');
  });

  test('a modern request before a handshake does not stand in its way [checklist 48]', async () => {
    expect((await postModern(bench(), 'server/discover')).status).toBe(200);
    const answer = await json(await post(bench(), initialize()));
    expect(answer.result?.['protocolVersion']).toBe('2025-11-25');
  });

  test('the order of refusals: content type, then body, then version, then headers', async () => {
    const claimed = { [META.version]: '2099-01-01', [META.capabilities]: {} };
    const body = request('tools/list', { _meta: claimed }, 1);
    const headers = { ...MODERN_HEADERS, 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'wrong' };
    expect((await post(bench(), body, { ...headers, 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await json(await post(bench(), '{', headers))).error?.code).toBe(-32700);
    expect((await json(await post(bench(), body, headers))).error?.code).toBe(-32022);
  });
});

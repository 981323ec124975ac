import { describe, expect, test } from '@jest/globals';
import { content, message, resourceContents } from '../../src/content.js';
import { definePrompt, defineResource, defineTool } from '../../src/index.js';
import { META } from '../../src/transport/index.js';
import { appOf, type Client, openSession, problemsOf, statelessClient } from '../harness.js';

describe('a key of "meta"', () => {
  const faultsOf = (key: string) =>
    problemsOf({ definitions: [defineTool({ name: 'a', meta: { [key]: 1 }, handle: () => '' })] });

  test.each([
    ['io.modelcontextprotocol/serverInfo', 'is reserved by the protocol'],
    ['dev.mcp/x', 'is reserved by the protocol'],
    ['com.mcp.tools/x', 'is reserved by the protocol'],
    ['progressToken', 'is reserved by the protocol'],
    ['traceparent', 'is reserved by the protocol'],
    ['', 'is not a valid key'],
    ['-x', 'is not a valid key'],
    ['a b', 'is not a valid key'],
    ['/x', 'is not a valid key'],
    ['1com.example/x', 'is not a valid key'],
    ['com..example/x', 'is not a valid key'],
    ['com.example-/x', 'is not a valid key'],
    ['com.example/a/b', 'is not a valid key'],
  ])('that is %j stops the start, as it %s [checklist 62]', async (key, fault) => {
    expect(await faultsOf(key)).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_OPTIONS',
        where: "defineTool('a'), meta",
        what: `'${key}' ${fault}`,
      }),
    ]);
  });

  test.each(['cost', 'a_b-c.d', 'com.example/cost', 'com.example.mcp/cost', 'com.example/'])(
    'may be %j',
    async (key) => {
      const definition = defineTool({ name: 'a', meta: { [key]: 1 }, handle: () => '' });
      const client = statelessClient(await appOf({ definitions: [definition] }));
      expect(await client.list('tools')).toEqual([expect.objectContaining({ _meta: { [key]: 1 } })]);
    },
  );
});

describe('the _meta of a result', () => {
  const _meta = { [META.serverInfo]: { name: 'other' }, [META.subscriptionId]: 7, cost: 2 };
  const definitions = [
    defineTool({ name: 'one', handle: () => ({ content: [content.text('x')], _meta }) }),
    definePrompt({ name: 'one', handle: () => ({ messages: [message.user('x')], _meta }) }),
    defineResource({
      uri: 'x://1',
      name: 'one',
      handle: () => ({ contents: [resourceContents.text('x://1', 'x')], _meta }),
    }),
  ];
  const resultsOf = async (client: Client) => [
    await client.result('tools/call', { name: 'one' }),
    await client.result('prompts/get', { name: 'one' }),
    await client.result('resources/read', { uri: 'x://1' }),
  ];

  test('names this server, whatever a handler says [checklist 62]', async () => {
    const own = { [META.serverInfo]: { name: 'test', version: '1.0.0' }, cost: 2 };
    for (const result of await resultsOf(statelessClient(await appOf({ definitions }))))
      expect(result['_meta']).toEqual(own);
  });

  test('has no reserved keys of a handler in a session, or where the server is not named [checklist 62]', async () => {
    const quiet = statelessClient(await appOf({ definitions, stampServerInfo: false }));
    const session = await openSession(await appOf({ definitions }));
    for (const result of [...(await resultsOf(quiet)), ...(await resultsOf(session))])
      expect(result['_meta']).toEqual({ cost: 2 });
  });

  test('that is no object is a failure of the handler', async () => {
    const broken = defineResource({
      uri: 'x://2',
      name: 'two',
      handle: () => ({ contents: [], _meta: 'x' }),
    });
    const client = statelessClient(await appOf({ definitions: [broken] }));
    expect(await client.error('resources/read', { uri: 'x://2' })).toMatchObject({ code: -32603 });
  });
});

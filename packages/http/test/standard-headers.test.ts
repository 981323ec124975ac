import { describe, expect, test } from '@jest/globals';
import {
  callModern,
  json,
  META,
  post,
  postModern,
  request,
  envelope,
  MODERN,
  textOf,
} from './fixtures/messages.js';
import { describeBridges } from './fixtures/suite.js';

const base64 = (text: string): string => `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;

describeBridges('headers that repeat the body', (bench) => {
  const withHeaders = (headers: Record<string, string>): Promise<Response> =>
    callModern(bench(), 'echo', { text: 'a' }, { headers, id: 'the id' });

  const expectMismatch = async (response: Response): Promise<void> => {
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ jsonrpc: '2.0', id: 'the id', error: { code: -32020 } });
  };

  test.each([
    ['MCP-Protocol-Version is missing', { 'MCP-Protocol-Version': '' }],
    ['MCP-Protocol-Version is older', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['MCP-Protocol-Version is unknown', { 'MCP-Protocol-Version': '2099-01-01' }],
  ])('%s: -32020 [checklist 4]', async (_what, headers) => expectMismatch(await withHeaders(headers)));

  test.each([
    ['Mcp-Method is missing', { 'Mcp-Method': '' }],
    ['Mcp-Method names another', { 'Mcp-Method': 'tools/list' }],
    ['Mcp-Method differs in case', { 'Mcp-Method': 'Tools/Call' }],
    ['Mcp-Method has more to it', { 'Mcp-Method': 'tools/call, tools/call' }],
  ])('%s: -32020 [checklist 11]', async (_what, headers) => expectMismatch(await withHeaders(headers)));

  test.each([
    ['Mcp-Name is missing', { 'Mcp-Name': '' }],
    ['Mcp-Name names another', { 'Mcp-Name': 'count' }],
    ['Mcp-Name differs in case', { 'Mcp-Name': 'Echo' }],
    ['Mcp-Name is of base64 of another', { 'Mcp-Name': base64('count') }],
    ['Mcp-Name lacks the padding', { 'Mcp-Name': '=?base64?ZWNobw?=' }],
    ['Mcp-Name has too much padding', { 'Mcp-Name': '=?base64?ZWNobw===?=' }],
    ['Mcp-Name leaves the alphabet', { 'Mcp-Name': '=?base64?ZWNo*w==?=' }],
    ['Mcp-Name uses the alphabet of URLs', { 'Mcp-Name': '=?base64?_-_-?=' }],
    ['Mcp-Name has white space within', { 'Mcp-Name': '=?base64?ZWNo bw==?=' }],
    ['Mcp-Name is of base64 of bytes that are no UTF-8', { 'Mcp-Name': '=?base64?//79?=' }],
    ['Mcp-Name has the first marker only', { 'Mcp-Name': '=?base64?ZWNobw==' }],
    ['Mcp-Name has the second marker only', { 'Mcp-Name': 'ZWNobw==?=' }],
    ['Mcp-Name is base64 without markers', { 'Mcp-Name': 'ZWNobw==' }],
  ])('%s: -32020 [checklist 12]', async (_what, headers) => expectMismatch(await withHeaders(headers)));

  test('bytes outside of visible ASCII are -32020, though their Latin-1 agrees [checklist 60]', async () => {
    const uri = 'note://caf\u00e9';
    const spoilt = { id: 'the id', headers: { 'Mcp-Name': uri } };
    await expectMismatch(await postModern(bench(), 'resources/read', { uri }, spoilt));
    const headers = { 'Mcp-Name': base64(uri) };
    expect((await postModern(bench(), 'resources/read', { uri }, { headers })).status).toBe(200);
  });

  test.each([
    ['plain', { 'Mcp-Name': 'echo' }],
    ['with white space around', { 'Mcp-Name': ' \t echo  ' }],
    ['in base64', { 'Mcp-Name': base64('echo') }],
    ['in base64 with white space around', { 'Mcp-Name': `  ${base64('echo')} ` }],
  ])('Mcp-Name may come %s [checklist 12]', async (_how, headers) => {
    const response = await withHeaders(headers);
    expect(response.status).toBe(200);
    expect(textOf(await json(response))).toBe('a');
  });

  test('names of headers may be in any case [checklist 11]', async () => {
    const headers = { 'mcp-METHOD': 'tools/call', 'Mcp-Method': '', 'MCP-NAME': 'echo', 'Mcp-Name': '' };
    expect((await withHeaders(headers)).status).toBe(200);
  });

  test('Mcp-Name repeats the name of a prompt and the URI of a resource [checklist 12]', async () => {
    const asks = async (method: string, params: Record<string, unknown>, name: string): Promise<number> =>
      (await postModern(bench(), method, params, { headers: { 'Mcp-Name': name } })).status;
    expect(await asks('prompts/get', { name: 'greet' }, 'greet')).toBe(200);
    expect(await asks('prompts/get', { name: 'greet' }, 'other')).toBe(400);
    expect(await asks('resources/read', { uri: 'note://7' }, 'note://7')).toBe(200);
    expect(await asks('resources/read', { uri: 'note://7' }, 'note://8')).toBe(400);
  });

  test('a name beyond ASCII travels in base64 [checklist 12]', async () => {
    const uri = 'note://grüße';
    const sent = await postModern(
      bench(),
      'resources/read',
      { uri },
      { headers: { 'Mcp-Name': base64(uri) } },
    );
    expect(sent.status).toBe(200);
  });

  test('other methods need no Mcp-Name, and one that is there is ignored [checklist 12]', async () => {
    expect((await postModern(bench(), 'tools/list')).status).toBe(200);
    expect((await postModern(bench(), 'tools/list', {}, { headers: { 'Mcp-Name': 'any' } })).status).toBe(
      200,
    );
  });

  test('a tool that is unknown is no mismatch: -32602 with status 200 [checklist 30]', async () => {
    const response = await callModern(bench(), 'no-such-tool', {}, { id: 3 });
    expect(response.status).toBe(200);
    expect(await json(response)).toMatchObject({ id: 3, error: { code: -32602 } });
  });

  test('Mcp-Param headers that no schema asks for are ignored [checklist 13]', async () => {
    expect((await withHeaders({ 'Mcp-Param-Region': 'eu' })).status).toBe(200);
  });

  describe('a notification', () => {
    const method = 'notifications/cancelled';
    const message = { jsonrpc: '2.0', method, params: { _meta: envelope() } };
    const notify = (headers: Record<string, string>): Promise<Response> => post(bench(), message, headers);

    test.each([
      ['with Mcp-Method', { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method }],
      ['without Mcp-Method', { 'MCP-Protocol-Version': MODERN }],
    ])('%s is answered with 202 and no body [checklist 16] [checklist 52]', async (_what, headers) => {
      const response = await notify(headers);
      expect([response.status, await response.text()]).toEqual([202, '']);
    });

    test('needs no _meta: its header says the version [checklist 52]', async () => {
      const bare = { jsonrpc: '2.0', method };
      expect((await post(bench(), bare, { 'MCP-Protocol-Version': MODERN })).status).toBe(202);
      expect((await post(bench(), bare, { 'MCP-Protocol-Version': '2025-11-25' })).status).toBe(400);
    });

    test.each([
      ['Mcp-Method names another', { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'other' }],
      ['MCP-Protocol-Version is older', { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': method }],
    ])('is refused where %s: -32020 [checklist 11] [checklist 52]', async (_what, headers) => {
      const response = await notify(headers);
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({ id: null, error: { code: -32020 } });
    });
  });

  test('the body decides the era, whatever the headers say [checklist 1]', async () => {
    const params = { name: 'echo', arguments: { text: 'a' }, _meta: { [META.capabilities]: {} } };
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' };
    const response = await post(bench(), request('tools/call', params, 2), headers);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ id: 2, error: { code: -32602 } });
  });
});

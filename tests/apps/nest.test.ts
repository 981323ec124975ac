import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Calls } from '../e2e/calls.js';
import { v1, v2Auto, v2Pinned } from '../e2e/clients.js';
import { endProcesses, ServerProcess, until } from '../e2e/processes.js';

const MAIN = fileURLToPath(new URL('../../apps/nest/dist/main.js', import.meta.url));
const RIVERS = '978-0-00-000003-3';

afterEach(endProcesses);

describe('the bookshop, an application of Nest', () => {
  async function start(): Promise<{ readonly server: ServerProcess; readonly address: string }> {
    const env = { PORT: '0', STAFF_TOKEN: 'secret', SHOP_NAME: 'The Test Shop' };
    const server = new ServerProcess(MAIN, [], env);
    await until(() => server.stdout.includes('The bookshop listens on'), 20_000);
    const [, address = ''] = /listens on (http:\S+)\/api\/mcp/.exec(server.stdout) ?? [];
    return { server, address: `${address}/api` };
  }

  test('serves models and people from the same shelves, and ends when it is told to', async () => {
    const { server, address } = await start();
    const { client } = await v2Auto.connect({ address: `${address}/mcp` });
    const calls = new Calls(client);
    expect(client.getInstructions()).toContain('The Test Shop');
    expect((await calls.tool('search_books', { words: 'river' })).structuredContent).toEqual([
      { isbn: RIVERS, title: 'Rivers', copies: 7 },
    ]);
    expect((await calls.tool('order_book', { isbn: RIVERS, copies: 2 })).structuredContent).toMatchObject({
      copies: 5,
    });
    expect(await (await fetch(`${address}/books/${RIVERS}`)).json()).toMatchObject({ copies: 5 });
    expect(await calls.tool('order_book', { isbn: RIVERS, copies: 9 })).toMatchObject({
      isError: true,
      text: 'There are only 5 of Rivers',
    });
    expect(await calls.tool('order_book', { isbn: 'none' })).toMatchObject({
      isError: true,
      text: 'There is no book none: search for it first',
    });
    expect((await fetch(`${address}/books/none`)).status).toBe(404);
    await client.close();
    expect(server.stdout).toContain('a customer orders 2 of');
    expect(server.stdout).toContain('searchBooks took');
    server.child.kill('SIGTERM');
    await server.ended;
  });

  test('shows staff what customers do not see', async () => {
    const { address } = await start();
    const url = new URL(`${address}/mcp`);
    const staff = new Client({ name: 'staff', version: '1.0.0' });
    const requestInit = { headers: { Authorization: 'Bearer secret' } };
    await staff.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const { client: customer } = await v1('2025-11-25').connect({ address: url.href });
    const seen = async (client: Pick<Client, 'listTools'>): Promise<string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    expect(await seen(customer as Client)).toEqual(['search_books', 'order_book']);
    expect(await seen(staff)).toEqual(['search_books', 'order_book', 'restock']);
    const restocked = await new Calls(staff).tool('restock', { isbn: RIVERS, copies: 3 });
    expect(restocked.structuredContent).toMatchObject({ copies: 10 });
    await expect(new Calls(customer).tool('restock', { isbn: RIVERS, copies: 3 })).rejects.toThrow(
      'Unknown tool',
    );
    const wrong = await fetch(url, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
    expect(wrong.status).toBe(401);
    await staff.close();
    await customer.close();
  });

  test('serves over stdio, and says nothing else there', async () => {
    const { client } = await v2Pinned.connect({ script: MAIN, args: ['--stdio'] });
    const calls = new Calls(client);
    expect((await calls.tool('search_books', { words: 'garden' })).structuredContent).toMatchObject([
      { title: 'A Garden of Stars' },
    ]);
    expect(await client.readResource({ uri: `books://${RIVERS}` })).toMatchObject({
      contents: [{ mimeType: 'application/json' }],
    });
    await client.close();
    const server = new ServerProcess(MAIN, ['--stdio']);
    server.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await until(() => server.stdout.includes('\n'));
    expect(server.messages()).toMatchObject([{ id: 1 }]);
    server.child.stdin.end();
    expect((await server.ended).code).toBe(0);
  });
});

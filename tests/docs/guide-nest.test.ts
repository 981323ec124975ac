import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

async function reader(url: URL, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'reader', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

describePage('nest', ({ connect, print, serve }) => {
  test('shows a shop below the global prefix, whose exceptions clients understand', async () => {
    const client = await reader(await serve('main.ts'));
    const order = async (args: object) => client.callTool({ name: 'order', arguments: { ...args } });
    expect(textOf(await order({ sku: 'LAMP', quantity: 9 }))).toBe('3 of LAMP for a guest');
    expect(await order({ sku: 'SOFA', quantity: 1 })).toMatchObject({
      isError: true,
      content: [{ text: 'There is no article SOFA' }],
    });
    const { contents } = await client.readResource({ uri: 'stock://LAMP' });
    expect(contents).toMatchObject([{ text: '3' }]);
    await expect(client.readResource({ uri: 'stock://SOFA' })).rejects.toThrow('There is no article SOFA');
    await client.close();
  });

  test('serves the same shop over stdio', async () => {
    const client = await connect('stdio.ts');
    expect(textOf(await client.callTool({ name: 'count', arguments: { sku: 'LAMP' } }))).toBe('3');
  });

  test("has Passport's user as principal, and refuses others at the endpoint", async () => {
    const url = await serve('passport.ts');
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    const client = await reader(url, { Authorization: 'Bearer token-of-ada' });
    expect(textOf(await client.callTool({ name: 'who_am_i' }))).toBe('ada@example.com');
    await client.close();
  });

  test('serves two servers, each with its own tools', async () => {
    const url = await serve('several.ts');
    const [shop, office] = [await reader(url), await reader(new URL('/office/mcp', url))];
    const toolsOf = async (client: Client): Promise<string[]> =>
      (await client.listTools()).tools.map(({ name }) => name);
    expect([await toolsOf(shop), await toolsOf(office)]).toEqual([['price'], ['change', 'close']]);
    await office.callTool({ name: 'change', arguments: { sku: 'LAMP', price: 25 } });
    expect(textOf(await shop.callTool({ name: 'price', arguments: { sku: 'LAMP' } }))).toBe('25');
    for (const client of [shop, office]) await client.close();
  });

  test('says truly that an order of none is refused by its DTO', async () => {
    expect(await print('shop.test.ts')).toContain('quantity');
  });

  test('says truly that a ValidationPipe keeps the application from starting', async () => {
    expect(await print('mistaken.ts')).toContain('Orders: @UsePipes(ValidationPipe): it does not run');
  });
});

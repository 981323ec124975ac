import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

describePage('guards-and-middleware', ({ serve }) => {
  async function as<T>(address: URL, token: string, use: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  test('shows each role what it may use', async () => {
    const address = await serve('payroll.ts');
    const namesOf = (token: string) =>
      as(address, token, async (client) => (await client.listTools()).tools.map(({ name }) => name));
    expect(await namesOf('token-of-ada')).toEqual(['salary', 'raise']);
    expect(await namesOf('token-of-bob')).toEqual(['salary']);
    const raised = as(address, 'token-of-bob', (client) =>
      client.callTool({ name: 'raise', arguments: { percent: 5 } }),
    );
    await expect(raised).rejects.toMatchObject({ code: -32602 });
  });

  test('lets through only calls about the caller', async () => {
    const address = await serve('payroll.ts');
    const salary = (token: string, employee: string) =>
      as(address, token, (client) => client.callTool({ name: 'salary', arguments: { employee } }));
    expect(textOf(await salary('token-of-bob', 'bob'))).toBe('bob earns 100');
    expect(textOf(await salary('token-of-ada', 'bob'))).toBe('bob earns 100');
    expect(await salary('token-of-bob', 'ada')).toMatchObject({
      isError: true,
      content: [{ text: 'Access denied: salary may not be called with these arguments' }],
    });
  });
});

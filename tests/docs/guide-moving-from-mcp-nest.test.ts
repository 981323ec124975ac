import { expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

describePage('moving-from-mcp-nest', ({ serve }) => {
  test('shows a server that does what the other did', async () => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(await serve('greeter.ts')));
    expect(textOf(await client.callTool({ name: 'greet', arguments: {} }))).toBe('Hello, World!');
    expect((await client.readResource({ uri: 'mcp://languages' })).contents).toMatchObject([
      { mimeType: 'application/json', text: '["en","fr"]' },
    ]);
    expect((await client.readResource({ uri: 'mcp://languages/fr' })).contents).toMatchObject([
      { text: 'fr' },
    ]);
    expect(await client.getPrompt({ name: 'guide', arguments: { language: 'fr' } })).toMatchObject({
      messages: [{ role: 'user', content: { text: 'Greet in fr' } }],
    });
    await client.close();
  });
});

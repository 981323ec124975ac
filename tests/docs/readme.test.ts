import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { codeBlocks, compile } from './code-blocks.js';

describe('the README', () => {
  test('shows what Sigil is, a complete server and the commands on one screen of 60 lines', async () => {
    const [screen = ''] = (await readFile('README.md', 'utf8')).split('\n## More\n');
    expect(screen.split('\n').length).toBeLessThanOrEqual(60);
    for (const command of [
      'npm create mcp-app@latest',
      'npm install && npm start',
      'npm install && npm test',
    ])
      expect(screen).toContain(command);
    expect(screen).toContain('await app.run();');
  });

  test('shows a server that runs and answers', async () => {
    const dist = await compile(await codeBlocks('README.md'), 'readme');
    const client = new Client({ name: 'reader', version: '1.0.0' });
    const args = [join(dist, 'main.js')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
    try {
      const call = (sku: string) => client.callTool({ name: 'check_inventory', arguments: { sku } });
      expect((await call('TEA-001')).structuredContent).toEqual({ sku: 'TEA-001', quantity: 12 });
      expect(await call('NONE')).toMatchObject({
        isError: true,
        content: [{ text: 'There is no product NONE' }],
      });
    } finally {
      await client.close();
    }
  });
});

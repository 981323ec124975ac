import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describePage, textOf } from './guide-page.js';
import { tableRows } from './tables.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

const packages = ['package-lock.json', 'tests/anywhere/package-lock.json']
  .map((path) => (JSON.parse(readFileSync(path, 'utf8')) as Lock).packages)
  .reduce((root, anywhere) => ({ ...anywhere, ...root }));

describePage('who-can-connect', ({ serve }) => {
  test.each([
    ['Streamable HTTP', (address: URL) => new StreamableHTTPClientTransport(address)],
    ['HTTP+SSE', (address: URL) => new SSEClientTransport(new URL('/sse', address))],
  ])('shows a server that a client reaches over %s', async (_, transportTo) => {
    const client = new Client({ name: 'older', version: '1.0.0' });
    const transport = transportTo(await serve('everyone.ts'));
    // The package's own types disagree under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    expect(textOf(await client.callTool({ name: 'hello' }))).toBe('Hello');
    await client.close();
  });

  test('names the versions of the clients that are installed', async () => {
    const rows = await tableRows('docs/guide/who-can-connect.md', 'Tested clients');
    const named = rows.flatMap(([client = '', version]) => {
      const [name] = /@[a-z-]+\/[a-z-]+/.exec(client) ?? [];
      return name === undefined ? [] : [[name, version]];
    });
    expect(named.length).toBeGreaterThan(4);
    expect(named).toEqual(named.map(([name]) => [name, packages[`node_modules/${name}`]?.version]));
  });
});

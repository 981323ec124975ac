import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { describePage } from './guide-page.js';

describePage('security', ({ serve }) => {
  const post = (address: URL, token?: string, body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' }) =>
    fetch(address, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });

  test('shows a server that serves those alone who say who they are', async () => {
    const address = await serve('notes.ts');
    expect((await post(address)).status).toBe(401);
    expect((await post(address, 'token-of-eve')).status).toBe(401);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const toolsOf = async (token: string): Promise<string[]> => {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${token}`,
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'tools/list',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
      });
      const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    expect(await toolsOf('token-of-ada')).toEqual(['list', 'add']);
    expect(await toolsOf('token-of-bob')).toEqual(['list']);
  });
});

describe('the page security of the guide', () => {
  const page = readFileSync('docs/guide/security.md', 'utf8');

  /** Options and defaults of the first table below a heading. */
  const shown = (heading: string): Record<string, string> => {
    const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    return Object.fromEntries(
      rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', ''))).map(([, name = '', value = '']) => [name, value]),
    );
  };

  /** Options that have a default, as their docstrings say it. */
  const documented = (file: string, ofInterface: string, prefix = ''): Record<string, string> => {
    const body = readFileSync(file, 'utf8').split(`export interface ${ofInterface}`)[1]?.split('\n}')[0] ?? '';
    const options = [...body.matchAll(/@default ([^\n]*)\n(?:\s*\*[^\n]*\n)*?\s*(?:\*\/\n)?\s*readonly (\w+)\?:/g)];
    return Object.fromEntries(options.map(([, value = '', name = '']) => [prefix + name, value.replace(/ \*\/$/, '')]));
  };

  test('has every limit of an app with its default', () => {
    expect(shown('Of an app')).toEqual(documented('packages/core/src/engine/limits.ts', 'LimitOptions'));
  });
});

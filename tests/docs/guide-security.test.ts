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

describe('the bounds on the page about security', () => {
  const page = readFileSync('docs/guide/security.md', 'utf8');

  /** Options and defaults of the tables below a heading. */
  const shown = (heading: string): [string, string][] => {
    const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    return rows.map((row) => {
      const [, name = '', value = ''] = row.split('|').map((cell) => cell.trim());
      return [name.replaceAll('`', ''), value];
    });
  };

  /** Options with the defaults that their docstrings tell. */
  const documented = (file: string, ofInterface: string, prefix = ''): [string, string][] => {
    const body = readFileSync(`packages/${file}`, 'utf8')
      .split(`export interface ${ofInterface} `)[1]
      ?.split('\n}')[0];
    const members = body?.split(/(?<=\n {2}readonly .*;)\n/) ?? [];
    return members.flatMap((member) => {
      const name = /readonly (\w+)\?:/.exec(member)?.[1];
      const value = /@default (.*)/.exec(member)?.[1];
      return name === undefined || value === undefined ? [] : [[prefix + name, value.replaceAll('`', '')]];
    });
  };

  /** What says how much, and how long. */
  const bounds = (options: [string, string][]): [string, string][] =>
    options.filter(([, value]) => /^(?:\d|a quarter)/.test(value));

  test('of an app are all there, with their defaults', () => {
    expect(shown('Limits of an app')).toEqual(
      documented('core/src/engine/engine-options.ts', 'LimitOptions'),
    );
  });

  test('of tasks and states are all there', () => {
    const tasks = bounds(documented('core/src/extensions/tasks/tasks.ts', 'TasksOptions'));
    const store = documented('core/src/memory/memory-task-store.ts', 'MemoryTaskStoreOptions');
    const states = documented('core/src/memory/memory-state-store.ts', 'MemoryStateStoreOptions');
    expect(new Map(shown('Limits of tasks'))).toEqual(
      new Map([...tasks.filter(([name]) => name !== 'pollIntervalMs'), ...store]),
    );
    expect(shown('Request states and proofs')).toEqual(states);
  });

  test('over HTTP are all there', () => {
    const options = [
      ...documented('http/src/options.ts', 'HttpLimits', 'limits.'),
      ...documented('http/src/options.ts', 'HttpServerLimits extends HttpLimits', 'limits.'),
      ...documented('http/src/options.ts', 'SessionOptions', 'sessions.'),
      ...documented('http/src/options.ts', 'HttpOptions'),
    ];
    const events = documented('core/src/memory/memory-event-store.ts', 'MemoryEventStoreOptions');
    expect(new Map(shown('Limits over HTTP'))).toEqual(new Map([...bounds(options), ...events]));
  });

  test('over stdio are all there', () => {
    const options = bounds(documented('stdio/src/options.ts', 'StdioLimits', 'limits.'));
    expect(shown('Over stdio')).toEqual(options);
  });
});

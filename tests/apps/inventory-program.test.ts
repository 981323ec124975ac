import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

describe('the inventory program', () => {
  const main = fileURLToPath(new URL('../../apps/inventory/dist/main.js', import.meta.url));
  const start = (...args: string[]) =>
    spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exitCode = (child: ReturnType<typeof start>) =>
    new Promise((resolve) => child.on('close', (code) => resolve(code)));

  test('serves one client over stdio, says nothing else, and ends with its input', async () => {
    const child = start('--stdio');
    const lines: unknown[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    const params = {
      name: 'check_inventory',
      arguments: { sku: 'SLP-4010' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    expect(await exitCode(child)).toBe(0);
    expect(lines).toMatchObject([
      { id: 1, result: { structuredContent: { sku: 'SLP-4010', quantity: 152 } } },
    ]);
  });

  test('says over HTTP how to call it, and that is true', async () => {
    const child = start('--http', '--port', '0');
    const ended = exitCode(child);
    const shown = await shownUntil(child.stdout, 'npx @modelcontextprotocol/inspector');
    const [, url = ''] = /listens on (\S+)/.exec(shown) ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(shown).toContain(`claude mcp add --transport http inventory ${url}`);

    const [, command = ''] = /(curl .*)/.exec(shown) ?? [];
    expect(command).toContain(`curl -s ${url} `);
    const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const body = /-d '(.*)'$/.exec(command)?.[1] ?? '';
    const response = await fetch(url, { method: 'POST', headers: Object.fromEntries(headers), body });
    expect(await response.json()).toMatchObject({ result: { structuredContent: { sku: 'TNT-1002' } } });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

/** What a stream has shown by the time that some text comes. */
async function shownUntil(stream: NodeJS.ReadableStream, text: string): Promise<string> {
  let shown = '';
  for await (const chunk of stream) {
    shown += String(chunk);
    if (shown.includes(text)) break;
  }
  return shown;
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { until } from '../e2e/processes.js';
import { textBlocks } from './code-blocks.js';
import { describePage } from './guide-page.js';

const PAGE = 'docs/guide/requests-by-hand.md';
const run = promisify(execFile);

describePage('requests-by-hand', ({ serve }) => {
  test('shows requests that are answered as it says', async () => {
    const MCP = (await serve('reports.ts', '--http')).href;
    const [address = '', list = '', greet = '', call = '', get = '', update = '', ...session] =
      await textBlocks(PAGE, 'sh');
    const shown = (await textBlocks(PAGE, 'json')).map((block) => JSON.parse(block) as object);
    const [greeting = {}, begun = {}, asking = {}, completed = {}, inSession = {}] = shown;
    expect(address).toContain('http://127.0.0.1:3000/mcp');

    const sh = async (block: string, more: Record<string, string> = {}): Promise<string> => {
      const { stdout } = await run('bash', ['-c', block], { env: { ...process.env, MCP, ...more } });
      return stdout;
    };
    const result = async (block: string, more?: Record<string, string>): Promise<Record<string, unknown>> =>
      (JSON.parse(await sh(block, more)) as { result: Record<string, unknown> }).result;

    const { tools } = await result(list);
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['greet', 'write_report']);
    expect(await result(greet)).toMatchObject(greeting);
    const task = await result(call);
    expect(task).toMatchObject(begun);
    const TASK = String(task['taskId']);
    const settled = async (): Promise<object> => {
      const looks: Record<string, unknown>[] = [];
      await until(
        async () => looks.unshift(await result(get, { TASK })) > 0 && looks[0]?.['status'] !== 'working',
      );
      return looks[0] ?? {};
    };
    expect(await settled()).toMatchObject(asking);
    await result(update, { TASK });
    expect(await settled()).toMatchObject(completed);

    const [initialize = '', initialized = '', again = '', end = ''] = session;
    const SESSION = /^mcp-session-id: (\S+)/im.exec(await sh(initialize))?.[1] ?? '';
    expect(await sh(initialized, { SESSION })).toBe('');
    expect(await result(again, { SESSION })).toMatchObject(inSession);
    await sh(end, { SESSION });
    expect(await sh(again, { SESSION })).toContain('"error"');
    expect(session).toHaveLength(4);
    expect(shown).toHaveLength(5);
  });

  test('says truly what becomes of a header that the body contradicts', async () => {
    const { href } = await serve('reports.ts', '--http');
    const [, , greet = ''] = await textBlocks(PAGE, 'sh');
    const wrong = greet.replace('Mcp-Name: greet', 'Mcp-Name: other').replace('-s ', "-s -w '%{http_code}' ");
    const { stdout } = await run('bash', ['-c', wrong], { env: { ...process.env, MCP: href } });
    expect(stdout).toMatch(/"code":-32020.*400$/s);
    expect(readFileSync(PAGE, 'utf8')).toContain('400 and the error code -32020');
  });
});

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { call, META, parcelsProject } from './built-parcels.js';

// Each builds a program, or several, and the machine may be busy.
jest.setTimeout(180_000);

const { home, project, build } = parcelsProject();

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a worker that was built', () => {
  const address = { street: 'Kade' };
  const parcel = { pieces: 1, code: 'AB-1', address };
  const header = { code: 'mcp-param-code' };
  const asked = [
    { method: 'tools/list' },
    { method: 'prompts/list' },
    { method: 'resources/templates/list' },
    { method: 'tasks/get', params: { taskId: 'x' } },
    call('send', parcel),
    call('send', { ...parcel, others: [address, { street: 'A', billing: address }], speed: 'fast' }),
    call('send', { ...parcel, code: 'x', address: { street: 'too long' }, others: [{}, 5, {}] }),
    call('send', { ...parcel, pieces: 0, mail: 5, speed: 'fst', extra: 1, word: 'toolong' }),
    call('send', { ...parcel, address: { ...address, billing: { street: 5 } }, word: 'abc' }),
    call('send', {}),
    call('list', {}),
    call('list', { count: 1, day: '2026-07-28' }),
    call('list', { count: -1, day: 'x' }),
    call('nothing', {}),
    call('nothing', { a: 1 }),
    call('house', { at: address, more: [address] }),
    call('house', { at: { street: 5 } }),
    call('raw', { a: 1, id: 'x', 'x-b': 'y' }),
    call('raw', { a: 1.5, id: 2, 'x-b': 5 }),
    { method: 'resources/read', params: { uri: 'known://41' } },
    { method: 'resources/read', params: { uri: 'known://many' } },
    { method: 'prompts/get', params: { name: 'offer', arguments: { pieces: '2' } } },
    { method: 'prompts/get', params: { name: 'offer', arguments: { pieces: '0' } } },
  ];

  /** What a worker answers, in Node. */
  function asking(file: string, requests: readonly object[], env: Record<string, string> = {}): unknown {
    const elicitation = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const full = (
      requests as readonly { method: string; params?: Record<string, unknown>; elicits?: true }[]
    ).map(({ method, params, elicits }) => {
      const { name, uri, taskId, arguments: args } = params ?? {};
      const named = name ?? uri ?? taskId;
      return {
        method,
        params: { ...params, _meta: { ...META, ...(elicits && elicitation) } },
        headers: {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(named !== undefined && { 'mcp-name': named }),
          ...(name === 'send' &&
            'code' in (args as object) && { [header.code]: (args as typeof parcel).code }),
        },
      };
    });
    const script = join(project, 'dist/asking.js');
    const said = execFileSync(process.execPath, [script, join(project, 'dist', file), JSON.stringify(full)], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: 'pipe',
    });
    return JSON.parse(said) as unknown;
  }

  const inAnyOrder = (answers: unknown): string[][] =>
    (answers as string[]).map((answer) =>
      answer
        .replace('"text":"', '"text":"\\n')
        .split(/\\n|"\}\],"/)
        .sort(),
    );

  test('answers as it did', async () => {
    const { stderr } = await build('known.js', 'known.mjs', '--target', 'worker');
    expect(stderr).toBe('');
    expect(asking('known.mjs', asked)).toEqual(asking('known.js', asked));
  });

  test('serves definitions that were not there when it was built', async () => {
    expect((await build('known.js', 'other.mjs', '--target', 'worker')).code).toBe(0);
    for (const env of [{ MORE: 'yes' }, { LEAST: '3' }, { LONGEST: '9' }, { FEWEST: '1' }, { OTHER: 'yes' }])
      // Schemas that were not compiled ahead are interpreted, which finds problems in another order.
      expect(inAnyOrder(asking('other.mjs', asked, env))).toEqual(inAnyOrder(asking('known.js', asked, env)));
  });

  test('asks by forms', async () => {
    const { code } = await build('questions.js', 'questions.mjs', '--target', 'worker');
    expect(code).toBe(0);
    const requests = [{ ...call('count', {}), elicits: true }];
    const [text = ''] = asking('questions.mjs', requests) as string[];
    const { result } = JSON.parse(text) as { result: { inputRequests: { count: object } } };
    expect(result.inputRequests.count).toMatchObject({
      params: { requestedSchema: { properties: { count: { type: 'integer', minimum: 2 } } } },
    });
  });

  test('adds definitions later', async () => {
    expect((await build('growing.js', 'growing.mjs', '--target', 'worker')).code).toBe(0);
    const requests = [
      call('learn', {}),
      call('count', { count: 5 }),
      call('count', { count: 1 }),
      { method: 'tools/list' },
    ];
    const expected = asking('growing.js', requests);
    expect(JSON.stringify(expected)).toContain('at least 2');
    expect(asking('growing.mjs', requests)).toEqual(expected);
  });

  test('serves no patterns such as none were when it was built, and plain ones', async () => {
    expect((await build('growing.js', 'patterns.mjs', '--target', 'worker')).code).toBe(0);
    const answerTo = (pattern: string): unknown =>
      (asking('patterns.mjs', [call('try', { pattern }), call('coded', { code: 'A' })]) as string[])[1];
    expect(answerTo('^[A-Z]+$')).toContain('"text":"coded"');
    expect(answerTo('^[A-Z]+(-[A-Z]+)*$')).toMatch(/"error":\{|"isError":true/);
  });
});

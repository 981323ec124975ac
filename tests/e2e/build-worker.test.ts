import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { call, META, parcelsProject, type Report } from './built-parcels.js';

// Each builds a program, or several, and the machine may be busy.
jest.setTimeout(180_000);

const { home, project, build } = parcelsProject();

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a worker of which all is known', () => {
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

  test('describes nothing when it runs, and answers as it did', async () => {
    const { stdout, stderr } = await build('known.js', 'known.mjs', '--target', 'worker', '--json');
    expect(stderr).toBe('');
    const known = JSON.parse(stdout) as Report;
    expect(known.leftOut).toContain('what describes values');
    expect(known.bytes).toBeLessThan(300_000);
    const whole = await build('known.js', 'known-whole.mjs', '--target', 'worker', '--json', '--whole');
    expect(known.bytes).toBeLessThan((JSON.parse(whole.stdout) as Report).bytes - 100_000);
    const expected = asking('known.js', asked);
    expect(asking('known.mjs', asked)).toEqual(expected);
    expect(asking('known-whole.mjs', asked)).toEqual(expected);
  });

  test('refuses what was not there when it was built, and says what to do', async () => {
    const { code } = await build('known.js', 'less.mjs', '--target', 'worker');
    expect(code).toBe(0);
    expect(() => asking('less.mjs', asked, { MORE: 'yes' })).toThrow(
      /defineTool\('more'\)[^]*build with --whole/,
    );
    expect(() => asking('less.mjs', asked, { LEAST: '3' })).toThrow(
      /defineTool\('raw'\)[^]*build with --whole/,
    );
    expect(() => asking('less.mjs', asked, { LONGEST: '9' })).toThrow(
      /the class Address of Parcels\.\w+[^]*build with --whole/,
    );
    expect(() => asking('less.mjs', asked, { FEWEST: '1' })).toThrow(
      /the arguments of Parcels\.list[^]*build with --whole/,
    );
    expect(() => asking('less.mjs', asked, { OTHER: 'yes' })).toThrow(
      /the class Told of Parcels\.other[^]*build with --whole/,
    );
  });

  test('has what describes forms where a handler asks by one', async () => {
    const { code } = await build('questions.js', 'questions.mjs', '--target', 'worker');
    expect(code).toBe(0);
    const requests = [{ ...call('count', {}), elicits: true }];
    const [text = ''] = asking('questions.mjs', requests) as string[];
    const { result } = JSON.parse(text) as { result: { inputRequests: { count: object } } };
    expect(result.inputRequests.count).toMatchObject({
      params: { requestedSchema: { properties: { count: { type: 'integer', minimum: 2 } } } },
    });
  });

  test('has what describes values where definitions are added later', async () => {
    const { stdout } = await build('growing.js', 'growing.mjs', '--target', 'worker', '--json');
    const { leftOut, kept } = JSON.parse(stdout) as Report;
    expect(leftOut).not.toContain('what describes values');
    expect(kept).toEqual([
      {
        part: 'what describes values',
        by: expect.stringMatching(/^add in \S*dist\/growing\.js, tools in \S*dist\/growing\.js$/),
      },
    ]);
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

  test('refuses to add what has a pattern such as none had when it was built, unless all is in it', async () => {
    const pattern = '^[A-Z]+(-[A-Z]+)*$';
    const requests = [
      call('try', { pattern }),
      { method: 'tools/list' },
      call('try', { pattern: '^[A-Z]+$' }),
      call('coded', { code: 'A' }),
    ];
    for (const [name, ...options] of [['patterns.mjs'], ['patterns-whole.mjs', '--whole']] as const)
      expect((await build('growing.js', name, '--target', 'worker', ...options)).code).toBe(0);
    const [refused, listed, learnt, called] = asking('patterns.mjs', requests) as string[];
    expect(refused).toMatch(/defineTool\('coded'\)[^]*is not plain[^]*build with --whole/);
    expect(listed).not.toContain('"coded"');
    expect(learnt).toContain('learnt');
    expect(called).toContain('"text":"coded"');
    const [added, , , known] = asking('patterns-whole.mjs', requests) as string[];
    expect(added).toContain('learnt');
    expect(known).toContain('"text":"coded"');
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { StoredTask } from '@sigil/core/backend';
import { EVERYTHING, endProcesses, ServerProcess, until } from './processes.js';
import { fixture, official, type Outcome, sigilWith } from './sigil-command.js';

// Each starts a program or two, and the machine may be busy.
jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'sigil-tasks-'));
const STORE = join(folder, 'tasks.json');
const MAIN = fixture('tasks-server.mjs');
afterAll(async () => {
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

const kept = (): StoredTask[] =>
  existsSync(STORE) ? (JSON.parse(readFileSync(STORE, 'utf8')) as StoredTask[]) : [];
const statusOf = (taskId: string) => kept().find(({ task }) => task.taskId === taskId)?.task.status;

/** Starts the server, until what is kept is as it should be. */
async function serve(until_: () => boolean, FAIL: string, ...formats: readonly string[]): Promise<void> {
  const server = new ServerProcess(MAIN, [], { STORE, FAIL });
  for (const [id, format] of formats.entries()) {
    server.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'export', arguments: { format }, _meta: META },
    });
    // One after the other, so that they are kept in this order.
    await until(() => kept().length > id);
  }
  if (formats.length === 0)
    server.send({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: { _meta: META } });
  await until(until_);
  server.child.stdin.end();
  await server.ended;
}

const tasks = (verb: string, ...args: string[]): Promise<Outcome> =>
  sigilWith({ STORE }, 'tasks', verb, ...args);

describe('sigil tasks', () => {
  beforeAll(async () => {
    const isOver = ({ task }: StoredTask) => task.status === 'failed' || task.status === 'completed';
    await serve(() => kept().filter(isOver).length === 3, '1', 'csv', 'pdf', 'paper');
  });

  const ids = () => kept().map(({ task }) => task.taskId);

  test('lists what has failed, one task a line, whatever its message has in it', async () => {
    const { code, stdout, stderr } = await tasks('ls', MAIN, '--status', 'failed');
    expect([code, stderr]).toEqual([0, '']);
    const [line, , paper, empty, count] = stdout.split('\n');
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    expect(line).toMatch(
      new RegExp(
        `^${ids()[0]}  export  failed               ${time}  0 lost runs  The database 31m is away$`,
      ),
    );
    expect(paper).toMatch(new RegExp(`^${ids()[2]}  export  completed \\(isError\\)  ${time}  0 lost runs$`));
    expect([empty, count]).toEqual(['', '3 tasks']);
  });

  test('lists as many as are asked for, and nothing of other tools', async () => {
    expect((await tasks('ls', '--main', MAIN, '--limit', '1')).stdout).toMatch(
      /\n1 task, and there are more: use a higher --limit\n$/,
    );
    expect(await tasks('ls', MAIN, '--tool', 'import')).toEqual({ code: 0, stdout: '0 tasks\n', stderr: '' });
    const { stdout } = await tasks('ls', MAIN, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      tasks: Array(3).fill({ tool: 'export' }),
      hasMore: false,
    });
  });

  test('shows how one has ended, and its arguments only when they are asked for', async () => {
    const [taskId = ''] = ids();
    const { code, stdout } = await tasks('show', taskId, '--main', MAIN);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^argumentNames +\["format"\]\nrecorded +\["upload"\]$/m);
    expect(stdout).toMatch(/^error +\{"code":-31000,/m);
    expect(stdout).not.toContain('csv');
    const { stdout: whole } = await tasks('show', taskId, '--main', MAIN, '--arguments', '--json');
    expect(JSON.parse(whole)).toMatchObject({ arguments: { format: 'csv' } });
  });

  test.each([
    ['failed', 0, 'csv', 'failed'],
    ['completed with an error of its tool', 2, 'paper', 'completed'],
  ])(
    'begins one again that has %s: the next process ends it, with the effect of the first',
    async (_, at, format, status) => {
      const taskId = ids()[at] ?? '';
      const { code, stdout } = await tasks('retry', taskId, '--main', MAIN);
      expect(code).toBe(0);
      const again = stdout.trim();
      expect([statusOf(again), statusOf(taskId)]).toEqual(['working', status]);
      await serve(() => statusOf(again) === 'completed', '');
      const shown = await tasks('show', again, '--main', MAIN, '--json');
      expect(JSON.parse(shown.stdout).result.content).toEqual([
        { type: 'text', text: expect.stringMatching(new RegExp(`^${format}, upload by \\d+$`)) },
      ]);
    },
  );

  test('cancels one that has not ended, and no other', async () => {
    const [, failed = ''] = ids();
    const again = (await tasks('retry', failed, '--main', MAIN)).stdout.trim();
    expect(await tasks('cancel', again, '--main', MAIN)).toEqual({
      code: 0,
      stdout: 'Cancelled\n',
      stderr: '',
    });
    expect(statusOf(again)).toBe('cancelled');
    expect(await tasks('retry', again, '--main', MAIN)).toEqual({
      code: 1,
      stdout: '',
      stderr: `sigil: The task ${again} is cancelled: only a task that failed, or whose result has isError, can be retried\n`,
    });
  });

  test('lists them without the secret of the server', async () => {
    const { code, stdout, stderr } = await sigilWith({ STORE, KEY: '' }, 'tasks', 'ls', MAIN);
    expect([code, stderr]).toEqual([0, '']);
    for (const taskId of ids()) expect(stdout).toContain(taskId);
  });

  test('says that there is no such task, and which keys do not read one', async () => {
    expect(await tasks('show', 'x', '--main', MAIN)).toMatchObject({
      code: 1,
      stderr: 'sigil: Task x does not exist, or has expired\n',
    });
    const [taskId = ''] = ids();
    const { code, stderr } = await sigilWith(
      { STORE, KEY: 'o'.repeat(32) },
      'tasks',
      'show',
      taskId,
      '--main',
      MAIN,
    );
    expect([code, stderr]).toEqual([
      1,
      `sigil: The task ${taskId} cannot be read: the program needs the "state.keys" of the server that created the task, for example in the variable STATE_KEY\n`,
    ]);
  });

  test.each([
    ['keeps its tasks to itself', EVERYTHING, /^sigil: The program keeps tasks in its own memory.*"backend"/],
    ['is not made with Sigil', official('sdk-v2'), /^sigil: the server does not use Sigil/],
  ])('says that a program %s', async (_, main, message) => {
    expect(await tasks('ls', main)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  test.each([
    [['tasks'], 'tasks must be followed by one of ls, show, cancel, retry'],
    [['tasks', 'ls'], 'there is no file dist/main.js: compile first, or choose another program'],
    [['tasks', 'ls', 'x.js', '--main', 'y.js'], 'the program is named twice, as x.js and with --main'],
    [['tasks', 'ls', 'x.js', '--status', 'lost'], /^--status must be one of working, .*, not 'lost'/],
    [['tasks', 'ls', 'x.js', '--limit', '0'], "--limit must be a positive number, not '0'"],
    [['tasks', 'show', '--main', 'x.js'], '<task id> is missing'],
    [['tasks', 'retry', 'x'], 'there is no file dist/main.js: compile first, or choose another program'],
    [
      ['tasks', 'show', 'x', 'dist/main.js'],
      "'dist/main.js' is one argument too many: pass the program with --main, for example --main dist/main.js",
    ],
    [['tasks', 'cancel', 'x', '--main', 'x.js', '--arguments'], "unknown option '--arguments'"],
  ])('answers %j with one line and exit code 2', async (args, message) => {
    const { code, stdout, stderr } = await sigilWith({}, ...args);
    expect([code, stdout]).toEqual([2, '']);
    const [, told] = /^sigil: (.*) \(see sigil (?:tasks \w+ )?--help\)\n$/.exec(stderr) ?? [];
    if (typeof message === 'string') expect(told).toBe(message);
    else expect(told).toMatch(message);
  });
});

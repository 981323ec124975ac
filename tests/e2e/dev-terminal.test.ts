import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DevProject } from './dev-project.js';
import { post } from './modern-http.js';
import { until } from './processes.js';
import { hasTmux, TmuxTerminal } from './tmux.js';

// Compilers run here, and the machine may be busy.
jest.setTimeout(180_000);

const LONG_MS = 40_000;
const SIGIL = join(process.cwd(), 'packages/cli/bin/sigil.mjs');
const describeInTerminal = hasTmux ? describe : describe.skip;
/** Where screens are written for the documentation, where that is wanted. */
const SCREENS = process.env['WRITE_SCREENS'];

/** A server with a tool that answers, one that asks, and one that runs as a task. @param name an expression, the name of the first. */
const program = (name: string): string => `import { existsSync } from 'node:fs';
import { createApp, defineResource, defineTool, TaskSupport } from '@sigil/core';
const room = { type: 'string' } as const;
const nights = { type: 'integer' } as const;
const price = defineTool({
  name: ${name},
  description: 'The price of a room',
  input: { type: 'object', properties: { room, nights }, required: ['room'] },
  handle({ room, nights = 1 }) {
    if (room === 'none') throw new Error('there is no room ' + 'x'.repeat(100));
    return Number(nights) * 90;
  },
});
const book = defineTool({
  name: 'book_room',
  description: 'Books a room',
  input: { type: 'object', properties: { room }, required: ['room'] },
  handle: async (_args, context) => (await context.elicit('Really?', { type: 'object', properties: {} })).action,
});
const report = defineTool({
  name: 'write_report',
  description: 'Writes the report of a month',
  metadata: TaskSupport.entry('required'),
  handle: async () => {
    while (!existsSync('month.txt')) await new Promise((resolve) => setTimeout(resolve, 20));
    return 'done';
  },
});
const rooms = defineResource({ uri: 'hotel://rooms/{room}', name: 'room', handle: ({ room }) => String(room) });
const app = await createApp({ name: 'hotel', version: '1.0.0', definitions: [price, book, report, rooms] });
console.error('ready for guests');
await app.run();
`;

describeInTerminal('sigil dev on a terminal', () => {
  let project: DevProject;
  let terminal: TmuxTerminal | undefined;
  beforeEach(async () => {
    project = await DevProject.create();
    project.write('src/main.ts', program(`'price'`));
  });
  afterEach(async () => {
    terminal?.end();
    await until(async () => (await project.tools()).length === 0, LONG_MS);
    await project.remove();
  });

  /** Starts the command in a terminal, with a browser that writes down what it opens. */
  function start(columns = 100, rows = 30): TmuxTerminal {
    const bin = join(project.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${join(bin, 'opened')}\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const variables = `NO_COLOR=1 PATH=${bin}:"$PATH"`;
    const command = `${variables} ${process.execPath} ${SIGIL} dev -- --http --port ${project.port}`;
    return (terminal = new TmuxTerminal(command, { columns, rows, cwd: project.folder }));
  }

  const shows = (shown: TmuxTerminal, ...texts: (string | RegExp)[]): Promise<void> =>
    until(() => {
      const screen = shown.screen();
      return texts.every((text) => (typeof text === 'string' ? screen.includes(text) : text.test(screen)));
    }, LONG_MS);
  const opened = (): string => {
    const file = join(project.folder, 'bin/opened');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const call = (name: string, args: object) =>
    post(
      `http://127.0.0.1:${project.port}/mcp`,
      'tools/call',
      { name, arguments: args },
      {
        elicitation: { form: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    );

  /** A screen without what differs from run to run. */
  function steady(name: string, shown: TmuxTerminal): string {
    const screen = shown.screen().replaceAll(String(project.port), '3000');
    if (SCREENS) writeFileSync(join(SCREENS, `dev-${name}.txt`), `${screen}\n`);
    return (
      screen
        .replace(/\d\d:\d\d:\d\d/g, '10:21:07')
        .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '<task>')
        .replace(/(token|TOKEN|autoConnect)=[\w-]+(\n[\da-f]+$)?/gm, '$1=<token>')
        .replace(/(?<= )\d+\.\d(?= )/g, '<n>')
        .replace(/in \d+ ms/g, 'in <n> ms')
        .replace(/127\.0\.0\.1:31\d\d/g, '127.0.0.1:3100')
        // The server logs when it listens, a moment before or after that is seen.
        .replace(/^10:21:07\.\d{3} INFO .*\n/gm, '')
        .replace(/ {2,}/g, '  ')
        .replace(/\n{3,}/g, '\n\n')
    );
  }

  test('shows what is served, problems, calls, questions and tasks', async () => {
    const shown = start();
    await shows(shown, 'up · compiled · 1 start', 'SERVED', 'sigil: started');
    expect(steady('start', shown)).toMatchSnapshot('started');

    await new Promise((resolve) => setTimeout(resolve, 400));
    project.write('src/main.ts', program('7'));
    await shows(shown, 'THE COMPILER FINDS', 'sigil: serving what was compiled last');
    expect(steady('compiler', shown)).toMatchSnapshot('a compiler error');

    await new Promise((resolve) => setTimeout(resolve, 400));
    project.write('src/main.ts', program(`'room_price'`));
    await shows(shown, 'up · compiled · 2 starts', 'room_price', 'sigil: restarted');
    expect(shown.screen()).not.toContain('THE COMPILER FINDS');

    await until(async () => (await call('room_price', { room: 'A', nights: 2 })) !== undefined);
    await shows(shown, /ENDED[^]*ok +[\d.]+ +room_price/);
    await call('book_room', { room: 'A' });
    await shows(shown, /ASKED[^]*elicitation +book_room/, /asked +[\d.]+ +book_room/);
    await call('write_report', {});
    await shows(shown, /TASKS[^]*working +[\d.]+ +write_report/, /ok +[\d.]+ +write_report/);
    expect(steady('busy', shown)).toMatchSnapshot('a call, a question and a task');
    project.write('month.txt', '');
    await shows(shown, /completed +[\d.]+ +write_report/);

    await new Promise((resolve) => setTimeout(resolve, 400));
    project.write('src/main.ts', program(`'my tool'`));
    await shows(shown, 'THE SERVER FAILS', 'failed: it ended with exit code 1', 'waiting for a change');
    const [aboveLog] = steady('failed', shown).split('\nLOG\n');
    expect(aboveLog).toMatchSnapshot('a server that fails');
    shown.press('q');
    await until(() => shown.exitCode() === 0, LONG_MS);
    // What was written last stays.
    expect(shown.screen()).toContain('sigil: the server ended with exit code 1: waiting for a change');
    expect(shown.screen()).not.toContain('q quit');
  });

  test('shows the error of a handler whole, and the log before it', async () => {
    const shown = start(100, 24);
    await shows(shown, 'up · compiled · 1 start', 'SERVED');
    for (let at = 0; at < 4; at += 1) await call('price', { room: 'none' });
    await shows(shown, /ENDED[^]*isError +[\d.]+ +price/);
    shown.press('l');
    await shows(shown, 'any other key goes back', /src\/main\.ts:\d+/);
    // Its message is wider than the screen.
    expect(shown.screen().replaceAll('\n', '')).toContain(`there is no room ${'x'.repeat(100)}`);
    expect(shown.screen()).not.toContain('sigil: started');
    shown.press('PPage');
    shown.press('Home');
    await shows(shown, 'sigil: waiting for dist/main.js');
    shown.press('Down');
    await until(() => !shown.screen().includes('sigil: page'), LONG_MS);
    shown.press('End');
    await until(() => !shown.screen().includes('ready for guests'), LONG_MS);
    shown.press('Escape');
    await shows(shown, 'SERVED');
    shown.press('q');
    await until(() => shown.exitCode() === 0, LONG_MS);
  });

  test('ends all at once at a second Ctrl-C, however soon it follows', async () => {
    // The server lives on after a signal, as long as it is not killed.
    const ignores = `import { writeFileSync } from 'node:fs';
      for (const signal of ['SIGTERM', 'SIGINT']) {
        process.removeAllListeners(signal);
        process.on(signal, () => setTimeout(() => writeFileSync('survived', ''), 1500));
      }
      console.error('ignores signals');`;
    project.write('src/main.ts', `${program(`'price'`)}${ignores}\n`);
    const shown = start();
    await shows(shown, 'up · compiled · 1 start', 'SERVED', 'ignores signals');
    shown.press('C-c', 'C-c');
    await until(() => shown.exitCode() === 130, LONG_MS);
    expect(existsSync(join(project.folder, 'survived'))).toBe(false);
    expect(shown.screen()).not.toContain('q quit');
    expect(await project.tools()).toEqual([]);
  });

  test('obeys its keys', async () => {
    const shown = start();
    await shows(shown, 'up · compiled · 1 start', 'SERVED');
    shown.press('?');
    await shows(shown, 'restarts the server with its');
    expect(steady('help', shown)).toMatchSnapshot('help');
    shown.press('Escape');
    await shows(shown, 'SERVED');

    shown.press('c');
    await shows(shown, 'Claude Code');
    shown.press('1');
    await shows(shown, 'Copied the setting for Claude Code');
    expect(steady('clients', shown)).toMatchSnapshot('clients');
    const url = `http://127.0.0.1:${project.port}/mcp`;
    await until(() => shown.copied() === `claude mcp add --transport http hotel ${url}`);
    shown.press('Escape');

    await shows(shown, 'SERVED');
    shown.press('i');
    await shows(shown, 'npx @modelcontextprotocol/inspector@2');
    expect(steady('inspector', shown)).toMatchSnapshot('Inspector');
    await until(() => shown.copied().endsWith('npx @modelcontextprotocol/inspector@2'));
    const [, token = ''] = /INSPECTOR_API_TOKEN=(\w+)/.exec(shown.copied()) ?? [];
    shown.press('Enter');
    await until(() => opened() !== '');
    const inspector = new URL(opened());
    expect(inspector.origin).toBe('http://127.0.0.1:6274');
    expect(Object.fromEntries(inspector.searchParams)).toEqual({
      serverUrl: url,
      transport: 'http',
      autoConnect: token,
    });
    shown.press('Escape');

    await shows(shown, 'SERVED');
    shown.press('o');
    await shows(shown, 'If no browser opens, open this page:');
    await until(() => /^http:\/\/127\.0\.0\.1:\d+\/#token=/.test(opened()));
    shown.press('Escape');

    await shows(shown, 'SERVED');
    // A key that is no character is no command.
    shown.press('Right');
    shown.press('r');
    await shows(shown, 'up · compiled · 2 starts');
    shown.resize(80, 24);
    await until(() => shown.screen().split('\n').length === 24);
    expect(shown.screen().split('\n').at(-1)).toContain('q quit');
    shown.press('C-c');
    await until(() => shown.exitCode() === 130, LONG_MS);
    expect(await project.tools()).toEqual([]);
  });
});

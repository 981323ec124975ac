import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { runSigil, type Terminal } from '../src/index.js';
import { standardStreams, table } from '../src/terminal.js';
import { manifestWith } from './fixtures/manifests.js';

const folder = mkdtempSync(join(tmpdir(), 'sigil-run-'));
const [empty, full] = ['empty', 'full'].map((name) => join(folder, `${name}.json`)) as [string, string];
writeFileSync(empty, JSON.stringify(manifestWith()));
writeFileSync(
  full,
  JSON.stringify(manifestWith({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] })),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: string[], hasColours = false) {
  const lines: string[] = [];
  const terminal: Terminal = {
    out: (text) => lines.push(text),
    err: (text) => lines.push(`! ${text}`),
    hasColours,
  };
  return { code: await runSigil(args, terminal), lines };
}

describe('the command, run by a program', () => {
  test('gives its exit code and its lines', async () => {
    expect(await run(['manifest', 'diff', full, empty])).toEqual({
      code: 1,
      lines: ['breaking  tool add    tool removed', '', '1 breaking, 0 additive, 0 wording'],
    });
  });

  test('tells its version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, lines: [expect.stringMatching(/^\d+\.\d+\.\d+$/)] });
  });

  test.each([
    [
      ['check', '--help'],
      'sigil check [<main.js>|<manifest.json>|--url <url>',
      '--budget <tokens>',
      '  sigil check dist/main.js',
    ],
    [['manifest', 'diff', '--help'], 'sigil manifest diff ', '--json', '  sigil manifest diff manifest.json'],
    [['dev', '-h'], 'sigil dev ', '--compile <command>', '  sigil dev dist/main.js -- --http'],
    [['tasks', 'show', 'x', '--help'], 'sigil tasks show ', '--arguments', '  sigil tasks show 3f0c8f7e'],
  ])('tells the options of a command, with an example: %j', async (args, first, option, example) => {
    const { code, lines } = await run(args);
    expect([code, lines[0]]).toEqual([0, expect.stringContaining(first)]);
    expect(lines.find((line) => line.startsWith(`  ${option}`))).toMatch(/\S {2,}\w+/);
    expect(lines.at(-1)).toContain(example);
  });

  test('tells of the commands that begin with a word', async () => {
    const { lines } = await run(['tasks', '--help']);
    expect(lines.filter((line) => line.startsWith('  sigil tasks '))).toHaveLength(4);
    expect(lines.filter((line) => line.startsWith('  sigil '))).toHaveLength(4);
  });

  test('tells of all commands where none is named', async () => {
    const { lines } = await run(['--help']);
    expect(lines.filter((line) => line.startsWith('  sigil '))).toHaveLength(20);
  });

  test('refuses an option as the value of another', async () => {
    const { code, lines } = await run(['check', full, '--budget', '--json']);
    expect([code, lines]).toEqual([
      2,
      [
        "! sigil: option '--budget' has no value: write an equals sign before a value that begins with a dash (see sigil check --help)",
      ],
    ]);
  });

  test.each([
    [['tasks', 'show'], '<task id> is missing (see sigil tasks show --help)'],
    [['tasks'], 'tasks must be followed by one of ls, show, cancel, retry (see sigil --help)'],
    [['other'], "there is no command 'other' (see sigil --help)"],
  ])('names the help of the command that was called wrongly: %j', async (args, message) => {
    expect((await run(args)).lines).toEqual([`! sigil: ${message}`]);
  });

  test('has colours where there are any', async () => {
    const { lines } = await run(['manifest', 'diff', full, empty], true);
    expect(lines[0]).toBe('\u001b[31mbreaking  tool add    tool removed\u001b[39m');
  });

  test.each([
    ['', true],
    ['1', false],
  ])('has them on a terminal, with NO_COLOR=%j: %s', (refused, hasColours) => {
    const { isTTY } = process.stdout;
    const { NO_COLOR } = process.env;
    try {
      process.stdout.isTTY = true;
      process.env['NO_COLOR'] = refused;
      expect(standardStreams().hasColours).toBe(hasColours);
    } finally {
      process.stdout.isTTY = isTTY;
      if (NO_COLOR === undefined) delete process.env['NO_COLOR'];
      else process.env['NO_COLOR'] = NO_COLOR;
    }
  });

  test('has none for machines, nor for a stream that is no terminal', async () => {
    const { lines } = await run(['manifest', 'diff', full, empty, '--json'], true);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ counts: { breaking: 1 } });
    expect(standardStreams().hasColours).toBe(process.stdout.isTTY === true && !process.env['NO_COLOR']);
  });
});

test('columns of a table are as wide as their widest cell, the last as it is', () => {
  expect(
    table([
      ['a', 'bbb', 'c'],
      ['aa', '', 'cc'],
    ]),
  ).toEqual(['a   bbb  c', 'aa       cc']);
  expect(table([])).toEqual([]);
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compilerCommand } from '../../src/dev/compiler-command.js';
import { UsageError } from '../../src/failures.js';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sigil-compiler-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function install(name: string, manifest: object): Promise<string> {
  const folder = join(cwd, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

describe('the compiler of a project', () => {
  const warnings: string[] = [];
  const of = (compile?: string, hasColours = false) =>
    compilerCommand({ cwd, compile, hasColours, warn: (line) => warnings.push(line) });

  test('is the one it has installed', async () => {
    const folder = await install('typescript', { bin: { tsc: './bin/tsc' } });
    const { command, args } = of();
    expect(command).toBe(process.execPath);
    expect(args).toEqual([join(folder, 'bin/tsc'), '--watch', '--preserveWatchOutput']);
    expect(of(undefined, true)).toMatchObject({
      args: [...(args ?? []), '--pretty'],
      env: { FORCE_COLOR: '1' },
    });
  });

  test('is the fast one where there are two', async () => {
    await install('typescript', { bin: { tsc: './bin/tsc' } });
    const folder = await install('@typescript/native', { bin: { tsc: './bin/tsc' } });
    expect(of().args?.[0]).toBe(join(folder, 'bin/tsc'));
  });

  test('is one that compiles, not a package of the same name', async () => {
    await install('typescript', { bin: './cli.js' });
    expect(() => of()).toThrow(UsageError);
  });

  test('is missing, and how to get it is said', () => {
    expect(() => of()).toThrow(/^there is no compiler: run npm install --save-dev typescript/);
  });

  test.each([
    ['7.0.2', true],
    ['7.1.0', false],
    ['6.0.3', false],
  ])('warns of projects whose changes it does not notice: %s, %s', async (version, isBlind) => {
    warnings.length = 0;
    await install('typescript', { version, bin: { tsc: './bin/tsc' } });
    const nested = join(cwd, 'nested');
    compilerCommand({
      cwd: nested,
      compile: undefined,
      hasColours: false,
      warn: (line) => warnings.push(line),
    });
    expect(warnings).toEqual([]);
    of();
    const isShallow = cwd.split(sep).length === 3;
    const warning = `TypeScript ${version} does not notice changes in ${cwd}: move the project into a more deeply nested folder`;
    expect(warnings).toEqual(isBlind && isShallow ? [warning] : []);
  });

  test('is another where one is given, found as npm finds programs', async () => {
    await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true });
    const { command, args, env } = of('swc src -d dist --watch');
    expect([command, args]).toEqual(['swc src -d dist --watch', undefined]);
    expect(env['PATH']?.split(delimiter)[0]).toBe(join(cwd, 'node_modules/.bin'));
  });
});

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { manifestIn, pack } from './packages.js';

const run = promisify(execFile);

// Packs, installs and compiles, once.
jest.setTimeout(120_000);

const PACKED = ['core', 'node', 'stdio'];
/** What is installed beside the packages: not class-validator, and not class-transformer. */
const INSTALLED = ['typedi', 'zod'];

/** Programs of a project, by their files. */
const SOURCES: Readonly<Record<string, string>> = {
  'sums.ts': `
    import { Arg, createApp, defineTool, Service, Tool } from '@sigil/core';
    import { z } from 'zod';

    @Service()
    class Sums {
      @Tool()
      double(@Arg('a') a: number): number {
        return 2 * a;
      }
    }

    const app = await createApp({ name: 'sums', version: '1.0.0', services: [Sums] });
    app.tools.add(defineTool({ name: 'square', input: z.object({ a: z.number() }), handle: ({ a }) => a * a }));
    await app.run();`,
  'totals.ts': `
    import { createApp, Service, Tool } from '@sigil/core';

    class Total {
      sum = 0;
    }

    @Service()
    class Totals {
      @Tool({ output: Total })
      total(): Total {
        return new Total();
      }
    }

    await createApp({ name: 'totals', version: '1.0.0', services: [Totals] });`,
  'found.ts': `
    import { createApp } from '@sigil/core';

    await createApp({ name: 'found', version: '1.0.0', discover: new URL('./orders/', import.meta.url) });`,
  'orders/order.js': `
    import { IsInt } from 'class-validator';

    export class Order {}
    IsInt()(Order.prototype, 'count');`,
};

const COMPILER_OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(process.cwd(), 'node_modules/@types')],
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  // The published types must not need those of class-validator either.
  skipLibCheck: false,
};

const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-without-')));
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(async () => {
  const tarballs = await Promise.all(PACKED.map((name) => pack(`packages/${name}`, project)));
  const { devDependencies } = manifestIn('.') as { devDependencies?: Readonly<Record<string, string>> };
  const dependencies = Object.fromEntries([
    ...PACKED.map((name, at) => [`@sigil/${name}`, `file:${tarballs[at]?.path}`]),
    ...INSTALLED.map((name) => [name, devDependencies?.[name]]),
  ]);
  const written = {
    ...SOURCES,
    'package.json': JSON.stringify({ type: 'module', dependencies }),
    'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS }),
  };
  for (const [file, text] of Object.entries(written)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  }
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project });
});

/** What a program that does not start says. */
async function refusal(program: string): Promise<string> {
  const failed = await run(process.execPath, [program], { cwd: project }).then(
    () => ({ stderr: 'it started' }),
    (error: { stderr: string }) => error,
  );
  return failed.stderr;
}

describe('a project without class-validator and class-transformer', () => {
  beforeAll(async () => {
    const tsc = join(process.cwd(), 'node_modules/@typescript/native/bin/tsc');
    await run(process.execPath, [tsc, '-p', project]).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });

  test('is what npm installs', () => {
    const isThere = (name: string): boolean => existsSync(join(project, 'node_modules', name));
    expect(['class-validator', 'class-transformer', 'typedi'].filter(isThere)).toEqual(['typedi']);
  });

  test('compiles, and answers calls of single arguments and of zod over stdio', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const args = [join(project, 'sums.js')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
    try {
      const answer = async (name: string): Promise<unknown> =>
        (await client.callTool({ name, arguments: { a: 3 } })).content;
      expect(await answer('double')).toMatchObject([{ text: '6' }]);
      expect(await answer('square')).toMatchObject([{ text: '9' }]);
    } finally {
      await client.close();
    }
  });

  test.each([
    ['whose class is a DTO', 'totals.js', 'SIGIL_NO_CLASS_VALIDATOR'],
    ['whose discovered file imports one of them', 'found.js', 'SIGIL_DISCOVERY_FAILED'],
  ])('does not start a program %s, and says what to install', async (_, program, code) => {
    const said = await refusal(program);
    expect(said).toContain(`[${code}]`);
    expect(said).toContain('Fix: npm install class-validator class-transformer');
  });
});

import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { install } from './packages.js';

const run = promisify(execFile);

// Packs, installs and compiles, once.
jest.setTimeout(120_000);

const PACKED = ['core', 'node', 'stdio', 'cli'];
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
  await install(project, PACKED, INSTALLED);
  const written = { ...SOURCES, 'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS }) };
  for (const [file, text] of Object.entries(written)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  }
});

/** What a program that does not start says. */
async function refusal(...args: string[]): Promise<string> {
  const failed = await run(process.execPath, args, { cwd: project }).then(
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

  /** Calls the tools of `sums.ts`, as it is started with these arguments. */
  async function answers(...args: string[]): Promise<unknown[]> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
    try {
      const answer = async (name: string): Promise<unknown> =>
        (await client.callTool({ name, arguments: { a: 3 } })).content;
      return [await answer('double'), await answer('square')];
    } finally {
      await client.close();
    }
  }
  const ANSWERS = [[expect.objectContaining({ text: '6' })], [expect.objectContaining({ text: '9' })]];

  test('compiles, and answers calls of single arguments and of zod over stdio', async () => {
    expect(await answers(join(project, 'sums.js'))).toEqual(ANSWERS);
  });

  test('is built into one file with all that it needs', async () => {
    const out = join(project, 'built/sums.mjs');
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const args = [join(project, 'node_modules/.bin/sigil'), 'build', 'sums.js', '--out', out, '--json'];
    const { stdout } = await run(process.execPath, args, { cwd: project, env });
    expect((JSON.parse(stdout) as { external: string[] }).external).toEqual([]);
    const alone = mkdtempSync(join(tmpdir(), 'sigil-alone-'));
    try {
      const shipped = join(alone, 'sums.mjs');
      copyFileSync(out, shipped);
      expect(await answers(shipped)).toEqual(ANSWERS);
      expect(await refusal(shipped, '--http')).toContain('the package @sigil/http is not installed');
    } finally {
      rmSync(alone, { recursive: true });
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

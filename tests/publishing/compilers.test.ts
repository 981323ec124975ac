import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { transform as swc } from '@swc/core';
import { transform as esbuild } from 'esbuild';
import { answersOf, listed, refusal } from './programs.js';

const run = promisify(execFile);

// Within the project, where programs find the packages.
const FOLDER = join(process.cwd(), 'node_modules/.cache/compilers');

/** How compilers compile a file of TypeScript. */
type Compile = (source: string, file: string) => Promise<string>;

const withEsbuild =
  (experimentalDecorators: boolean): Compile =>
  async (source) => {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators } };
    return (await esbuild(source, { loader: 'ts', target: 'node20', tsconfigRaw })).code;
  };

const withSwc: Compile = async (source) => {
  const jsc = {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { decoratorVersion: '2022-03' },
  } as const;
  return (await swc(source, { jsc, module: { type: 'es6' } })).code;
};

/** Checks the types, too: as strictly as a new project does. */
const withTsc: Compile = async (source, file) => {
  const written = join(FOLDER, `${file}.ts`);
  writeFileSync(written, source);
  const tsc = join(process.cwd(), 'node_modules/@typescript/native/bin/tsc');
  const flags = '--strict --target es2022 --module nodenext --types node --skipLibCheck --ignoreConfig'.split(
    ' ',
  );
  await run(process.execPath, [tsc, ...flags, '--outDir', FOLDER, written]).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  return '';
};

/** Compiles a program. */
async function compiled(source: string, file: string, compile: Compile): Promise<string> {
  const code = await compile(source, file);
  const program = join(FOLDER, `${file}.js`);
  if (code !== '') writeFileSync(program, code);
  return program;
}

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const WITHOUT_TYPES = `
  import { Arg, createApp, Ctx, Service, Tool, ToolContext } from '@sigil/core';

  @Service()
  class Greetings {
    @Tool()
    greet(@Arg('times', { type: () => Number }) times: number, ctx: ToolContext): string {
      return 'Hello '.repeat(times) + (ctx.principal?.id ?? 'guest');
    }

    @Tool()
    whoAsks(@Ctx() ctx: ToolContext): string {
      return ctx.principal?.id ?? 'guest';
    }
  }

  const app = await createApp({ name: 'greetings', version: '1.0.0', services: [Greetings] });
  await app.run();`;

test('a program that is compiled without types has its arguments and its context', async () => {
  const program = await compiled(WITHOUT_TYPES, 'untyped', withEsbuild(true));
  expect(await answersOf(program, [['greet', { times: 2 }], ['who_asks']])).toEqual([
    'Hello Hello guest',
    'guest',
  ]);
});

const STANDARD = `
  import { createApp, inject, Metadata, Service, Tool, ToolContext } from '@sigil/core';
  import { Ui, UiResource, UseGuards, UseMiddleware } from '@sigil/core';
  import type { GuardContext, NextFunction, RequestContext } from '@sigil/core';
  import { z } from 'zod';

  const Numbers = z.object({ a: z.number(), b: z.number() });
  const Total = z.object({ total: z.number() });

  class Rounding {
    round(value: number): number {
      return Math.round(value);
    }
  }

  const loud = async (_: RequestContext, next: NextFunction): Promise<string> => String(await next()).toUpperCase();
  const isPublic = ({ definition }: GuardContext): boolean => definition.metadata['secret'] !== true;

  class Base {
    @Tool({ description: 'Tells the name of its class' })
    name(ctx: ToolContext): string {
      return this.constructor.name + ' ' + ctx.definition.name;
    }
  }

  @Service()
  @UseGuards(isPublic)
  class Sums extends Base {
    private readonly rounding = inject(Rounding);

    @Tool({ description: 'Adds two numbers', input: Numbers, output: Total })
    add({ a, b }: z.infer<typeof Numbers>, ctx: ToolContext): z.infer<typeof Total> {
      return { total: this.rounding.round(a + b) + (ctx.signal.aborted ? 1 : 0) };
    }

    @Ui('ui://sums/view.html')
    @UseMiddleware(loud)
    @Tool({ description: 'Says hello' })
    hello(): string {
      return 'hello';
    }

    @UiResource('ui://sums/view.html')
    view(): string {
      return '<p>0</p>';
    }

    @Metadata('secret', true)
    @Tool({ description: 'Is not for everybody' })
    hidden(): string {
      return 'secret';
    }
  }

  const providers = [{ provide: Rounding, useClass: Rounding }];
  const app = await createApp({ name: 'sums', version: '1.0.0', services: [Sums], providers });
  await app.run();`;

const WRONG = `
  import { createApp, Describe, Tool } from '@sigil/core';

  class Order {
    @Describe('How many')
    count = 1;
  }

  class Orders {
    @Tool()
    place(order: Order): number {
      return order.count;
    }
  }

  await createApp({ name: 'orders', version: '1.0.0', services: [Orders] });`;

describe('standard decorators', () => {
  test.each<[string, Compile]>([
    ['esbuild', withEsbuild(false)],
    ['swc', withSwc],
    ['tsc', withTsc],
  ])(
    'serve what they stand on, compiled by %s',
    async (name, compile) => {
      const program = await compiled(STANDARD, `standard-${name}`, compile);
      const calls = [['add', { a: 1.2, b: 2 }], ['hello'], ['name']] as const;
      expect(await answersOf(program, calls)).toEqual(['{"total":3}', 'HELLO', 'Sums name']);
      const tools = (await listed(program)) as { name: string }[];
      expect(tools.map((tool) => tool.name).sort()).toEqual(['add', 'hello', 'name']);
    },
    60_000,
  );

  test('say which setting a DTO class needs', async () => {
    const said = await refusal(await compiled(WRONG, 'wrong', withEsbuild(false)));
    expect(said).toContain(
      '@Describe on count: as a standard decorator, it belongs on a class or a public method',
    );
    expect(said).toContain('"experimentalDecorators": true in tsconfig.json');
  });
});

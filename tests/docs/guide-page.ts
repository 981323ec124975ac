import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type CodeBlock, codeBlocks, compile } from './code-blocks.js';

const run = promisify(execFile);

/** How a reader connects to a server of a page. */
export interface Reader {
  /** The official client's: sessions up to 2025-11-25, or a revision. */
  readonly mode?: 'legacy' | { readonly pin: string };
  /** What the user answers to a form with a message. */
  readonly answer?: (message: string) => Readonly<Record<string, unknown>>;
  /** The URIs of what the client shares. */
  readonly roots?: readonly string[];
}

/** What the tests of a page work with. */
export interface GuidePage {
  /** Starts a program of the page and connects the official client to it. Both end with the test. */
  connect(program: string, reader?: Reader): Promise<Client>;
  /** Runs a program of the page to its end, and gives what it printed. */
  print(program: string): Promise<string>;
  /** Starts a program of the page that listens over HTTP on `PORT`, and gives its address. It ends with the test. */
  serve(program: string, ...args: readonly string[]): Promise<URL>;
  /** The compiled file of a program of the page, for tests that run it themselves. */
  fileOf(program: string): string;
  /** Writes a file beside the compiled programs. */
  write(path: string, code: string): Promise<void>;
}

/**
 * Compiles a page of the guide and tests it: what a page shows in a block of text is printed by the program before it, and every
 * program is run.
 *
 * @param tests says what else the page claims.
 * @param folder that of the page, in `docs`.
 * @param project the folder in which the packages of the page are installed.
 */
export function describePage(
  name: string,
  tests: (page: GuidePage) => void,
  folder = 'guide',
  project?: string,
): void {
  const path = `docs/${folder}/${name}.md`;
  describe(folder === 'guide' ? `the page ${name} of the guide` : `the page ${name} of ${folder}`, () => {
    const compiled: { dist: string; blocks: CodeBlock[] } = { dist: '', blocks: [] };
    const started = new Set<string>();
    const open: { close(): Promise<void> }[] = [];

    beforeAll(async () => {
      compiled.blocks = await codeBlocks(path);
      compiled.dist = await compile(compiled.blocks, `${folder}-${name}`, project);
    }, 60_000);

    afterEach(async () => {
      // Clients before their servers.
      for (const opened of open.splice(0).reverse()) await opened.close();
    });

    const start = (program: string): string => {
      started.add(program);
      return join(compiled.dist, program.replace(/\.ts$/, '.js'));
    };

    const print = async (program: string): Promise<string> => {
      const ran = run(process.execPath, [start(program)], { timeout: 20_000 });
      ran.child.stdin?.end();
      const { stdout, stderr } = await ran.catch(
        (error: unknown) => error as { stdout: string; stderr: string },
      );
      return stdout + stderr;
    };

    const connect = async (
      program: string,
      { mode = 'legacy', answer, roots }: Reader = {},
    ): Promise<Client> => {
      const capabilities = { ...(answer && { elicitation: { form: {} } }), ...(roots && { roots: {} }) };
      const client = new Client(
        { name: 'reader', version: '1.0.0' },
        { capabilities, versionNegotiation: { mode } },
      );
      if (answer)
        client.setRequestHandler(
          'elicitation/create',
          ({ params }) => answer(params.message) as { action: 'accept' },
        );
      if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [start(program)],
          env: process.env as Record<string, string>,
          stderr: 'ignore',
        }),
      );
      open.push(client);
      return client;
    };

    const serve = async (program: string, ...args: readonly string[]): Promise<URL> => {
      const env = { ...process.env, PORT: '0' };
      const server = spawn(process.execPath, [start(program), ...args], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = once(server, 'close');
      open.push({
        close: async () => {
          server.kill('SIGKILL');
          await ended;
        },
      });
      const [said] = (await once(server.stdout, 'data')) as [Buffer];
      return new URL(/http:\S+/.exec(said.toString())?.[0] ?? '');
    };

    const write = async (path: string, code: string): Promise<void> => {
      const file = join(compiled.dist, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    };

    for (const { program, output } of shownOutputs(path)) {
      test(`shows what ${program} prints: ${output.split('\n')[0]}`, async () => {
        expect(await print(program)).toContain(output);
      });
    }

    tests({ connect, print, serve, fileOf: start, write });

    test('has every program run', () => {
      const imported = compiled.blocks.flatMap(({ name, code }) =>
        [...code.matchAll(/from '(\.\S+)\.js'/g)].map(([, file]) => posix.join(dirname(name), `${file}.ts`)),
      );
      const names = compiled.blocks.map((block) => block.name);
      expect(names.filter((file) => !started.has(file) && !imported.includes(file))).toEqual([]);
    });
  });
}

/** The blocks of text in a page, each with the program it follows. */
function shownOutputs(path: string): { program: string; output: string }[] {
  const shown: { program: string; output: string }[] = [];
  const at = { program: '' };
  for (const [, language, block = ''] of readFileSync(path, 'utf8').matchAll(
    /^```(\w+)\n([\s\S]*?)^```$/gm,
  )) {
    if (language === 'ts') at.program = /^\/\/ (\S+\.ts)\n/.exec(block)?.[1] ?? '';
    if (language === 'text') shown.push({ program: at.program, output: block.trim() });
  }
  return shown;
}

/** The text of a result of a tool. */
export function textOf(result: object): string | undefined {
  return (result as { content?: { text?: string }[] }).content?.[0]?.text;
}

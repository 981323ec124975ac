import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { post } from './modern-http.js';
import { freePort, isAlive, ServerProcess, until } from './processes.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A project of one file with one tool, and `sigil dev` on it. */
export class DevProject {
  // Deep enough: TypeScript 7.0 notices no change in projects as near to the root as `/tmp/project`.
  readonly #home = mkdtempSync(join(tmpdir(), 'sigil-dev-'));
  readonly folder = join(this.#home, 'work/project');
  readonly #started: ServerProcess[] = [];

  private constructor(readonly port: number) {}

  /** @param packages whether those of this checkout are installed in it. */
  static async create(packages = true): Promise<DevProject> {
    const project = new DevProject(await freePort());
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmitOnError: true,
      sourceMap: true,
      skipLibCheck: true,
      rootDir: 'src',
      outDir: 'dist',
    };
    project.mkdir('src');

    project.write('package.json', JSON.stringify({ type: 'module' }));
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }));
    if (packages) symlinkSync(join(ROOT, 'node_modules'), join(project.folder, 'node_modules'), 'dir');
    return project;
  }

  mkdir(path: string): void {
    mkdirSync(join(this.folder, path), { recursive: true });
  }

  /** Writes a file whole: half of one is a file as well to those who watch. */
  write(path: string, text: string): void {
    const written = join(this.#home, 'written');
    writeFileSync(written, text);
    renameSync(written, join(this.folder, path));
  }

  /** Writes a server with one tool. @param name an expression, so that it may be one that does not compile. */
  writeTool(name: string, more = ''): void {
    this.write(
      'src/main.ts',
      `import { createApp, defineTool } from '@sigil/core';
const tool = defineTool({ name: ${name}, handle: () => 'done' });
const app = await createApp({ name: 'dev', version: '1.0.0', definitions: [tool] });
await app.run();
${more}`,
    );
  }

  /**
   * Writes the server anew, no sooner than somebody at a keyboard could: TypeScript 7.0 overlooks what is saved in the
   * moment after it has compiled.
   */
  async save(name: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 400));
    this.writeTool(name);
  }

  /** Starts the command, with its server on a port of its own. */
  dev(...args: string[]): ServerProcess {
    return this.devWith([...args, '--', '--http', '--port', String(this.port)]);
  }

  /** Starts the command with all its arguments. */
  devWith(args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerProcess {
    const bin = join(ROOT, 'packages/cli/bin/sigil.mjs');
    const process = new ServerProcess(bin, ['dev', ...args], { NO_COLOR: '1', ...env }, this.folder);
    this.#started.push(process);
    return process;
  }

  /** The names of the tools that the server has just now; empty while it does not answer. */
  async tools(): Promise<string[]> {
    const address = `http://127.0.0.1:${this.port}/mcp`;
    const { tools } = await post(address, 'tools/list', {}).catch(() => ({ tools: [] }));
    return (tools as { name: string }[]).map(({ name }) => name);
  }

  /** Waits until the server has one tool of this name. */
  async serves(name: string): Promise<void> {
    await until(async () => (await this.tools()).join() === name, 30_000);
  }

  /** Ends what is left, by its ids, and removes the folder. */
  async remove(): Promise<void> {
    for (const { pid, ended } of this.#started) {
      if (!isAlive(pid)) continue;
      for (const each of [...descendants(pid), pid]) process.kill(each, 'SIGKILL');
      await ended;
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** The processes that a process has started, and those that they have. */
export function descendants(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.filter(([, of]) => of === parent).flatMap(([id = 0]) => [id, ...below(id)]);
  return below(pid);
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from './frameworks/program.js';
import { PARCELS } from './parcels-project.js';
import { sigil } from './sigil-command.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The other runtimes that a program is built for, where they are installed. */
export const RUNTIMES: readonly {
  readonly target: string;
  readonly program: string | undefined;
  readonly args: readonly string[];
}[] = [
  { target: 'deno', program: programOf('@deno/linux-x64-glibc', 'deno'), args: ['run', '-A'] },
  { target: 'bun', program: programOf('@oven/bun-linux-x64', 'bin/bun'), args: [] },
];

/** What `sigil build --json` tells. */
export interface Report {
  readonly apps: readonly { readonly tools: readonly string[] }[];
  readonly validators: number;
  readonly rules: readonly string[];
  readonly external: readonly string[];
  readonly bytes: number;
}

/** A call of a tool. */
export const call = (
  name: string,
  args: object,
): { readonly method: string; readonly params: { readonly name: string; readonly arguments: object } } => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

/** What requests of 2026-07-28 bring along. */
export const META: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The project with most of what `sigil build` has to keep, compiled, and its folder, which is to be removed. */
export function parcelsProject(): {
  readonly home: string;
  readonly project: string;
  readonly build: (entry: string, out: string, ...args: string[]) => ReturnType<typeof sigil>;
} {
  const home = mkdtempSync(join(tmpdir(), 'sigil-build-'));
  const project = join(home, 'project');
  for (const [path, text] of Object.entries(PARCELS)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'dir');
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/.bin/tsc'), '-p', project, '--resolveJsonModule'],
    { encoding: 'utf8' },
  );
  return {
    home,
    project,
    build: (entry, out, ...args) =>
      sigil('build', join(project, 'dist', entry), '--out', join(project, 'dist', out), ...args),
  };
}

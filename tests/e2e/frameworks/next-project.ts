import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { MOUNTS } from './contract-app.js';
import type { Framework, Served } from './framework.js';
import { programFile } from './hosts.js';
import { freePort } from '../processes.js';
import { startProgram } from './program.js';

const run = promisify(execFile);
/** The packages of `apps/next`, which has Next for all projects here. */
const INSTALLED = resolve('apps/next/node_modules');
const NEXT = join(INSTALLED, 'next/dist/bin/next');
const ENV = { NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '' };

/** Next itself: a project is built, and served from what was built. */
export const NEXT_ITSELF: Framework = {
  name: 'a Next.js application, by @sigil/next',
  async serve() {
    const folder = await writeProject();
    await buildNext(folder);
    return startNext(folder);
  },
};

/** Builds a project of Next. @throws Error with what Next said. */
export async function buildNext(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  if (!existsSync(packages)) await symlink(INSTALLED, packages, 'dir');
  await run(process.execPath, [NEXT, 'build'], { cwd: folder, env: { ...process.env, ...ENV } }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${stdout}\n${stderr}`);
    },
  );
}

/** Serves a project of Next that has been built. @param port a free one by default. */
export async function startNext(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  port?: number,
): Promise<Served> {
  const at = String(port ?? (await freePort()));
  const program = startProgram(
    process.execPath,
    [NEXT, 'start', '--hostname', '127.0.0.1', '--port', at],
    { ...ENV, ...env },
    { cwd: folder },
  );
  await program.line('✓ Ready');
  return { origin: `http://127.0.0.1:${at}`, close: async () => void (await program.end()) };
}

/** Writes a project that has a route for each mount, and for what stands beside it. */
async function writeProject(): Promise<string> {
  const folder = join(dirname(await programFile('next')), 'next');
  await rm(folder, { recursive: true, force: true });
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await write('package.json', '{ "type": "module" }');
  await write('next.config.js', `export default { turbopack: { root: '${process.cwd()}' } };`);
  await write('app/layout.js', 'export default function Layout({ children }) { return children; }');
  for (const [at, { path, documents }] of MOUNTS.entries())
    for (const route of [path, ...documents]) {
      const up = '../'.repeat(route.split('/').length);
      await write(
        `app${route}/route.js`,
        `import { mounted } from '${up}../next.mjs';\nexport const { GET, POST, DELETE, OPTIONS } = mounted[${at}];\n`,
      );
    }
  return folder;
}

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { atMost } from '../budget.js';
import type { Contestant } from '../contestants.js';
import type { Row } from '../row.js';
import { measureStart } from './start.js';

const run = promisify(execFile);
const sigilCommand = join(
  dirname(createRequire(import.meta.url).resolve('@sigil/cli/package.json')),
  'bin/sigil.mjs',
);
const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Each as one file: ours by `sigil build`, the other by a bundler. */
const contestants: readonly Contestant[] = [
  { id: 'sigil', era: 'modern', http: '', stdio: 'built/sigil.mjs', sessions: false },
  { id: 'sdk v2', era: 'modern', http: '', stdio: 'built/sdk-v2.mjs', sessions: false },
];

/**
 * Processor time from spawn to the first answer over stdio. The program is a single file, and its one tool receives a
 * DTO.
 */
export const startBuilt: Row = {
  id: 'start-built',
  title: 'start to first answer, built',
  unit: 'CPU ms',
  budget: [atMost(0.8, 'sdk v2')],
  contestants,
  async measure(plan, chosen) {
    await mkdir(here('built'), { recursive: true });
    await run(process.execPath, [sigilCommand, 'build', here('server.js'), '--out', here('built/sigil.mjs')]);
    await build({
      entryPoints: [here('peers/sdk-v2/stdio.js')],
      outfile: here('built/sdk-v2.mjs'),
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    return measureStart(plan, chosen, ({ stdio }) => stdio);
  },
};

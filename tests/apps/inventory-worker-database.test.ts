import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { type RunningWorker, startWorker, WORKERD } from '../e2e/frameworks/workerd.js';
import { DATABASE_CASES } from './database-cases.js';

const folder = mkdtempSync(join(tmpdir(), 'inventory-database-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OBJECT = [
  'bindings = [(name = "CASES", durableObjectNamespace = "Cases")]',
  'durableObjectNamespaces = [(className = "Cases", uniqueKey = "cases", enableSql = true)]',
  'durableObjectStorage = (localDisk = "objects")',
];

(WORKERD === undefined ? describe.skip : describe)(
  'a database of the inventory in a Durable Object, in workerd where that is installed',
  () => {
    let worker: RunningWorker;

    beforeAll(async () => {
      await build({
        entryPoints: [fileURLToPath(new URL('./database-worker.ts', import.meta.url))],
        outfile: join(folder, 'worker.mjs'),
        bundle: true,
        format: 'esm',
      });
      worker = await startWorker(join(folder, 'worker.mjs'), OBJECT, folder);
    }, 60_000);

    afterAll(() => worker.program.kill());

    test.each(Object.entries(DATABASE_CASES))('%s', async (name, { expected }) => {
      const answer = await fetch(`${worker.origin}/?name=${encodeURIComponent(name)}`);
      const said = await answer.text();
      expect(answer.ok ? JSON.parse(said) : said).toEqual({ result: expected });
    });
  },
);

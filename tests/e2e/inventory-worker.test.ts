import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { STATELESS_VERSION } from './clients.js';
import { connectFull } from './full-client.js';
import { type RunningWorker, startWorkerd, WORKERD } from './frameworks/workerd.js';
import { askEverything, type Said } from './inventory-script.js';
import { post } from './modern-http.js';
import { endProcesses, freePort, INVENTORY, ServerProcess, until } from './processes.js';

const APP = 'apps/inventory';
const LEGACY_VERSION = '2025-11-25';

const home = mkdtempSync(join(tmpdir(), 'inventory-worker-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A folder for what objects keep. */
const fresh = (): string => mkdtempSync(join(home, 'objects-'));
const startShop = (objects: string): Promise<RunningWorker> => startWorkerd(`${APP}/config.capnp`, objects);

/** Starts the same app in Node, with a database of its own. @returns its address. */
async function startInNode(): Promise<string> {
  const port = await freePort();
  new ServerProcess(INVENTORY, ['--http', '--port', String(port)]);
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(async () => (await fetch(address).catch(() => undefined)) !== undefined);
  return address;
}

test('the inventory as a worker takes at most 770 kB', () => {
  expect(readFileSync(`${APP}/dist/worker.mjs`).length).toBeLessThanOrEqual(770_000);
});

(WORKERD === undefined ? describe.skip : describe)(
  'the inventory as a worker, in workerd where that is installed',
  () => {
    describe.each([
      ['v2', STATELESS_VERSION],
      ['v2', LEGACY_VERSION],
      ['v1', LEGACY_VERSION],
    ] as const)('to client %s of %s', (generation, version) => {
      let said: { readonly node: Said; readonly worker: Said };

      beforeAll(async () => {
        const saidAt = async (address: string): Promise<Said> => {
          const client = await connectFull(generation, version, { address });
          const answers = await askEverything(client, version);
          await client.close();
          return answers;
        };
        const worker = await startShop(fresh());
        try {
          said = { node: await saidAt(await startInNode()), worker: await saidAt(`${worker.origin}/mcp`) };
        } finally {
          await worker.program.kill();
          await endProcesses();
        }
      }, 60_000);

      test('answers everything that it lists as it does in Node', () => {
        expect(said.worker.good).toEqual(said.node.good);
        const failed = said.worker.good.filter(({ result }) => !result || result['isError'] === true);
        expect(failed).toEqual([]);
      });

      test('refuses what is wrong in the same words', () => {
        expect(said.worker.bad).toEqual(said.node.bad);
        const taken = said.worker.bad.filter(({ result }) => result && result['isError'] !== true);
        expect(taken).toEqual([]);
      });

      test('tells of changes, and what it logs, while it is asked', () => {
        expect(said.worker.told).toEqual(said.node.told);
        const told = said.worker.told.join('\n');
        expect(told).toContain('"uri":"commerce://stock/low"');
        // A client of 2026-07-28 would ask for it with each request.
        if (version === LEGACY_VERSION) expect(told).toContain('Only 10 of RUN-7004 are left');
      });
    });

    describe('on its own', () => {
      let worker: RunningWorker;
      afterEach(() => worker.program.kill());

      test('keeps what was reserved when it is started again', async () => {
        const objects = fresh();
        const quantity = async (): Promise<unknown> => {
          const params = { name: 'check_inventory', arguments: { sku: 'RUN-7015' } };
          const { structuredContent } = await post(`${worker.origin}/mcp`, 'tools/call', params);
          return (structuredContent as { quantity: number }).quantity;
        };
        worker = await startShop(objects);
        expect(await quantity()).toBe(76);
        const params = { name: 'reserve_stock', arguments: { sku: 'RUN-7015', quantity: 6 } };
        await post(`${worker.origin}/mcp`, 'tools/call', params);
        await worker.program.kill();
        worker = await startShop(objects);
        expect(await quantity()).toBe(70);
      });

      test('answers other paths with where the endpoint is, and pages that may not call with 403', async () => {
        worker = await startShop(fresh());
        const elsewhere = await fetch(worker.origin);
        expect([elsewhere.status, await elsewhere.text()]).toEqual([404, 'The endpoint is /mcp\n']);
        const headers = { Origin: 'https://evil.example' };
        expect((await fetch(`${worker.origin}/mcp`, { method: 'POST', headers })).status).toBe(403);
      });
    });
  },
);

test('the inventory is deployed with the class and the binding that are tried here', () => {
  const deployed = readFileSync(`${APP}/wrangler.toml`, 'utf8');
  const local = readFileSync(`${APP}/config.capnp`, 'utf8');
  const [, binding, className] = /name = "(\w+)"\nclass_name = "(\w+)"/.exec(deployed) ?? [];
  expect(deployed).toContain(`new_sqlite_classes = ["${className}"]`);
  expect(deployed).toContain('main = "dist/worker.mjs"');
  expect(local).toContain(`(name = "${binding}", durableObjectNamespace = "${className}")`);
  expect(local).toMatch(new RegExp(`className = "${className}", uniqueKey = "\\S+", enableSql = true`));
});

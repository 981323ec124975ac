import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { post } from './modern-http.js';
import { endProcess, freePort, ServerProcess, until, wholeLines } from './processes.js';
import { type Store, type StoreName, STORES } from './stores.js';

const SCRIPT = fileURLToPath(new URL('./fixtures/steps-server.mjs', import.meta.url));
const KNOWS_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const LEASE_MS = Number(process.env['LEASE_MS'] ?? 3_000);
/** Longer than a lease. */
const STALL_MS = (4 / 3) * LEASE_MS;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
}, 60_000);

/** Two processes on a store. */
async function startProcesses(name: StoreName): Promise<{
  readonly store: Store;
  readonly processes: readonly ServerProcess[];
  readonly address: string;
}> {
  const store = await STORES[name].start();
  ends.push(() => store.stop());
  const env = { ...store.env, STATE_KEY: 'k'.repeat(32), LEASE_MS: String(LEASE_MS) };
  const started = [await freePort(), await freePort()].map((port) => ({
    address: `http://127.0.0.1:${port}/mcp`,
    process: new ServerProcess(SCRIPT, ['--port', String(port)], env),
  }));
  for (const { process, address } of started) {
    ends.push(() => endProcess(process));
    await until(() =>
      fetch(address).then(
        () => true,
        () => process.child.exitCode !== null,
      ),
    );
  }
  return { store, processes: started.map(({ process }) => process), address: started[0]?.address ?? '' };
}

for (const name of ['redis', 'postgres'] as const)
  (STORES[name].no === undefined ? describe : describe.skip)(`a store that stands still: ${name}`, () => {
    test('costs no run of a task, however often it does, for longer than a lease', async () => {
      const { store, processes, address } = await startProcesses(name);
      const steps = { name: 'work', arguments: { steps: 12, stepMs: LEASE_MS / 3 } };
      const begun = await Promise.all([1, 2, 3].map(() => post(address, 'tools/call', steps, KNOWS_TASKS)));
      for (let stall = 0; stall < 2; stall += 1) {
        await sleep(LEASE_MS);
        await store.pause();
        await sleep(STALL_MS);
        await store.resume();
        await sleep(LEASE_MS * (5 / 3));
      }
      const statuses = async (): Promise<unknown[]> =>
        Promise.all(
          begun.map(
            async ({ taskId }) => (await post(address, 'tasks/get', { taskId }, KNOWS_TASKS))['status'],
          ),
        );
      await until(async () => !(await statuses()).includes('working'), 20 * LEASE_MS);
      expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
      const lines = processes.flatMap(({ stderr }) => wholeLines(stderr));
      if (process.env['SHOW']) console.log(lines.join('\n'));
      expect(lines.filter((line) => line.includes('a run of'))).toEqual([]);
    }, 300_000);
  });

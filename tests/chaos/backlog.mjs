// npm run chaos -- backlog --backend <url> [--tasks <count>] [--round-trip <ms>] [--busy <loops>] [--json]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Random } from '../fuzz/random.mjs';
import { SlowProxy } from './slow-proxy.mjs';
import { Fleet, readNotes } from './fleet.mjs';

/** Requests that each principal has in flight. */
const IN_FLIGHT = 2;
/** A fleet that ends nothing for so long has stalled. */
const STALLED_MS = 120_000;

/**
 * Submits many tasks at once, and looks whether they are run without a break: nothing is killed, but the store may be far away, and the
 * processor busy.
 *
 * @param argv the command line.
 * @returns the report; `isWrong` says whether a promise was broken.
 */
export async function backlog(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      backend: { type: 'string' },
      tasks: { type: 'string', default: '5000' },
      principals: { type: 'string', default: '20' },
      nodes: { type: 'string', default: '3' },
      /** Milliseconds that the way to the store and back takes longer. */
      'round-trip': { type: 'string', default: '0' },
      /** Loops that keep the processor busy. */
      busy: { type: 'string', default: '0' },
      seed: { type: 'string', default: String(Date.now()) },
      json: { type: 'boolean', default: false },
    },
  });
  if (!values.backend) throw new Error('give --backend redis://… or postgres://…');
  const random = new Random(values.seed);
  const notes = await mkdtemp(join(tmpdir(), 'backlog-'));
  const proxy = await SlowProxy.before(values.backend, Number(values['round-trip']));
  const loops = Array.from({ length: Number(values.busy) }, () => new Worker('for (;;);', { eval: true }));
  const fleet = new Fleet(proxy.url, notes, { tasks: { maxRunning: 2_000 } });
  try {
    for (let at = 0; at < Number(values.nodes); at += 1) await fleet.start(at);
    const report = await run(fleet, random, Number(values.tasks), Number(values.principals));
    await fleet.end();
    return { ...values, ...report, ...(await judge(notes, report)) };
  } finally {
    await fleet.end();
    await Promise.all(loops.map((loop) => loop.terminate()));
    await proxy.close();
    await rm(notes, { recursive: true, force: true });
  }
}

async function run(fleet, random, total, principals) {
  const beganAt = Date.now();
  const counts = { submitted: 0, completed: 0, failed: 0 };
  const last = { completed: 0, at: Date.now() };
  let submittedMs = 0;
  const isStalled = () => Date.now() - last.at > STALLED_MS;

  const one = async (principal, share, lane) => {
    const open = [];
    for (let at = lane; at < share; at += IN_FLIGHT) {
      const args = { name: `${principal}-${at}`, steps: 2, stepMs: 500 };
      const params = () => ({ name: 'work', arguments: args });
      const { taskId } = await fleet.request(random, 'tools/call', params, 'work', principal);
      open.push(taskId);
      counts.submitted += 1;
      submittedMs = Date.now() - beganAt;
    }
    while (open.length > 0 && !isStalled()) {
      const taskId = open.shift();
      const { status } = await fleet.request(random, 'tasks/get', () => ({ taskId }), taskId, principal);
      if (status === 'completed' || status === 'failed') {
        counts[status] += 1;
        last.at = Date.now();
      } else open.push(taskId);
      await sleep(20);
    }
  };
  const lanes = Array.from({ length: principals }, (_, at) => {
    const share = Math.floor(total / principals) + (at < total % principals ? 1 : 0);
    return Array.from({ length: IN_FLIGHT }, (_, lane) => one(`principal-${at}`, share, lane));
  });
  await Promise.all(lanes.flat());
  const { refused } = fleet;
  return { ...counts, refused, submittedMs, ms: Date.now() - beganAt };
}

/** What the notes of the nodes tell: how long nothing ended, at most, and which runs came to no end. */
async function judge(notes, { completed, submitted, failed }) {
  const [runs, done, aborted] = await Promise.all(
    ['runs', 'done', 'aborted'].map((kind) => readNotes(notes, kind)),
  );
  const times = done.map(({ at }) => at).sort((one, other) => one - other);
  const gaps = times.slice(1).map((at, index) => at - times[index]);
  const firstMs = (times[0] ?? Infinity) - Math.min(...runs.map(({ at }) => at));
  const longestGapMs = Math.round(Math.max(0, firstMs, ...gaps));
  const repeated = runs.length - new Set(runs.map(({ name }) => name)).size;
  const isWrong =
    completed !== submitted || failed > 0 || aborted.length > 0 || repeated > 0 || longestGapMs > 5_000;
  return { runs: runs.length, repeated, aborted: aborted.length, longestGapMs, isWrong };
}

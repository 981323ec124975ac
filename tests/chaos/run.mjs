// npm run chaos -- --backend <url> [--tasks <count>] [--executor bullmq|push] [--seed <text>] [--json]
// npm run chaos -- backlog: see backlog.mjs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { PushQueue } from './push-queue.mjs';
import { Random } from '../fuzz/random.mjs';
import { backlog } from './backlog.mjs';
import { Fleet, readNotes } from './fleet.mjs';

if (process.argv[2] === 'backlog') {
  const report = await backlog(process.argv.slice(3));
  console.log(report.json ? JSON.stringify(report) : report);
  process.exit(report.isWrong ? 1 : 0);
}

const { values } = parseArgs({
  options: {
    backend: { type: 'string' },
    tasks: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now()) },
    /** What runs tasks: claims in the store, `bullmq`, or `push` by a queue of this process. */
    executor: { type: 'string' },
    /** Milliseconds between two kills or pauses. */
    every: { type: 'string', default: '1500' },
    json: { type: 'boolean', default: false },
  },
});

/** Longer than that no task may take once the last node was killed: a lease, and the work itself. */
const STUCK_MS = 60_000;
const LEASE_MS = 2_000;
const IN_FLIGHT = 60;

const random = new Random(values.seed);
const notes = await mkdtemp(join(tmpdir(), 'chaos-'));
const queue = new PushQueue(() => random.pick(fleet.nodes).address, LEASE_MS);
const fleet = new Fleet(values.backend, notes, {
  tasks: { leaseMs: LEASE_MS, maxAttempts: 1_000, maxRunningPerClient: 1_000, maxRunning: 200 },
  executor: values.executor,
  queueUrl: values.executor === 'push' ? await queue.start() : undefined,
});
fleet.patienceMs = 3_000;
if (!values.json) console.log(`seed ${values.seed}`);
const counts = Array.from({ length: Number(values.nodes) }, (_, at) => at);
await Promise.all(counts.map((at) => fleet.start(at)));

const total = Number(values.tasks);
const outcome = { completed: 0, lost: [], failed: [], stuck: [] };
const kills = [];
/** The result of each step as the task has told it in the end. */
const expected = new Map();
/** The tasks that ask. */
const asking = new Set();
let pauses = 0;
let isOver = false;

const disturbing = disturb();
let next = 0;
await Promise.all(Array.from({ length: IN_FLIGHT }, work));
isOver = true;
await disturbing;
const said = fleet.nodes.map((node) => node.said).join('');
await fleet.end();
queue.close();
const report = {
  seed: values.seed,
  tasks: total,
  ...outcome,
  kills: kills.length,
  pauses,
  ...(await judge()),
};
await rm(notes, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify(report));
else console.log(report);
const isWrong = report.completed !== total || report.recordedTwice > 0 || report.zombieWrites > 0;
if (isWrong && !values.json) console.log(said.slice(-4000));
process.exitCode = isWrong ? 1 : 0;

/** Kills and pauses nodes for as long as there is work. */
async function disturb() {
  while (!isOver) {
    await sleep(Number(values.every));
    if (isOver) return;
    const at = random.whole(0, fleet.nodes.length - 1);
    if (random.chance(0.25)) {
      await fleet.pause(at, LEASE_MS + 1_500);
      pauses += 1;
    } else {
      kills.push(await fleet.kill(at));
    }
  }
}

/** Begins tasks and sees them to their end, one after the other. */
async function work() {
  while (next < total) {
    const name = `task-${next++}`;
    try {
      await see(name);
    } catch (error) {
      outcome.lost.push(`${name}: ${error.message}`);
    }
  }
}

async function see(first) {
  const asks = random.chance(0.25);
  const args = { steps: 3, stepMs: 20 + random.whole(0, 399), asks };
  let name = '';
  // A node may have begun the task, and died before it said so: another attempt is another task.
  const call = (tries) => {
    name = `${first}.${tries}`;
    if (asks) asking.add(name);
    return { name: 'work', arguments: { ...args, name } };
  };
  const { taskId } = await fleet.request(random, 'tools/call', call, 'work');
  const deadline = Date.now() + STUCK_MS;
  for (;;) {
    const task = await fleet.request(random, 'tasks/get', () => ({ taskId }), taskId);
    if (task.status === 'completed') {
      const { results } = task.result.structuredContent;
      outcome.completed += 1;
      results.forEach((result, step) => expected.set(`${name} ${step}`, result));
      return;
    }
    if (task.status === 'failed' || task.status === 'cancelled')
      return void outcome.failed.push(`${name}: ${task.statusMessage}`);
    if (task.status === 'input_required') {
      const inputResponses = Object.fromEntries(
        Object.keys(task.inputRequests).map((key) => [key, { action: 'accept', content: { yes: true } }]),
      );
      await fleet.request(random, 'tasks/update', () => ({ taskId, inputResponses }), taskId);
    }
    if (Date.now() > deadline) return void outcome.stuck.push(`${name}: ${task.status}`);
    await sleep(100);
  }
}

/** What the notes of the nodes tell. */
async function judge() {
  const seen = await readNotes(notes, 'seen');
  const runs = await readNotes(notes, 'runs');
  const values = new Map();
  for (const { name, step, result } of seen) {
    const key = `${name} ${step}`;
    values.set(key, (values.get(key) ?? new Set()).add(result));
  }
  // A result of once() that the handler went on with, and that another run did not find.
  const recordedTwice = [...values.values()].filter((results) => results.size > 1).length;
  const zombieWrites = [...expected].filter(([key, result]) => !values.get(key)?.has(result)).length;
  const resumed = kills.flatMap(({ pid, killedAt }) => resumedAfter(pid, killedAt, runs, seen));
  resumed.sort((one, other) => one - other);
  return {
    runs: runs.length,
    recordedTwice,
    zombieWrites,
    resumed: resumed.length,
    resumedMsMedian: Math.round(resumed[Math.floor(resumed.length / 2)] ?? 0),
    resumedMsMost: Math.round(resumed.at(-1) ?? 0),
  };
}

/** How long after a kill each task went on that had been under way in the node, in milliseconds. */
function resumedAfter(pid, killedAt, runs, seen) {
  const owned = new Set(runs.filter((run) => run.pid === pid && run.at <= killedAt).map(({ name }) => name));
  return [...owned].flatMap((name) => {
    const last = runs.filter((run) => run.name === name && run.at <= killedAt).at(-1);
    // Another node had it by then, or it was done, or waited for an answer.
    if (last?.pid !== pid || isDone(name, killedAt, seen)) return [];
    const again = runs.find((run) => run.name === name && run.at > killedAt);
    return again && !hasWaited(name, last, seen) ? [again.at - killedAt] : [];
  });
}

function isDone(name, at, seen) {
  return seen.some((one) => one.name === name && one.step === 2 && one.at <= at - 450);
}

/** Whether a run ended with its question: what began the next one was the answer. */
function hasWaited(name, run, seen) {
  const steps = seen.filter((one) => one.name === name && one.pid === run.pid && one.at >= run.at);
  return asking.has(name) && steps.length === 1;
}

/*
 * One node of a fleet: `node.mjs <backend url, or ''> <folder for its notes> <settings as JSON>`. It serves on a free port, which it says on
 * standard output. Whoever sends a bearer token is the principal of that name. Every run of its tool notes what it sees, so that afterwards it can be told what has happened twice.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, defineTool, TaskSupport } from '@sigil/core';
import { http } from '@sigil/http';
import { chooseBackend } from '../../apps/everything/dist/choose-backend.js';

const STATE_KEY = 'the same secret in every node of the fleet';
const [url, notes, settings] = process.argv.slice(2);
const { tasks, executor, queueUrl } = JSON.parse(settings);
const { executor: chosen, routes } = await executorOf(executor);
const note = (kind, details) =>
  appendFileSync(
    `${notes}/${kind}.log`,
    `${JSON.stringify({ at: performance.timeOrigin + performance.now(), pid: process.pid, ...details })}\n`,
  );

const FORM = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
const input = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    steps: { type: 'integer' },
    stepMs: { type: 'integer' },
    asks: { type: 'boolean' },
  },
  required: ['name', 'steps', 'stepMs'],
};

const work = defineTool({
  name: 'work',
  description: 'Works in steps, each of which is done once',
  input,
  metadata: TaskSupport.entry({ support: 'required' }),
  handle: async ({ name, steps, stepMs, asks }, ctx) => {
    note('runs', { name });
    const results = [];
    for (let step = 0; step < steps; step += 1) {
      const result = await ctx.once(`step-${step}`, () => crypto.randomUUID());
      // What the handler goes on with has been recorded.
      note('seen', { name, step, result });
      results.push(result);
      if (asks && step === 0) await ctx.elicit('Go on?', FORM, { key: 'go' });
      try {
        await sleep(stepMs, undefined, { signal: ctx.signal });
      } catch (error) {
        note('aborted', { name });
        throw error;
      }
    }
    note('done', { name });
    return { name, results };
  },
});

const shared = await chooseBackend(url ? ['--backend', url] : [], { ...process.env, STATE_KEY });
if (!shared.backend)
  throw new Error('give --backend redis://… or postgres://…, or the variables of the inventory');
const app = await createApp({
  name: 'chaos',
  version: '1.0.0',
  definitions: [work, defineTool({ name: 'ping', description: 'Answers', handle: () => 'pong' })],
  ...shared,
  tasks: { ...tasks, ...(chosen && { executor: chosen }) },
});
const authenticate = ({ headers }) => {
  const [, id] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  return id && { id };
};
const { address } = await app.run(
  http({ port: 0, ready: '/readyz', drainMs: 2_000, authenticate, ...(routes && { routes }) }),
);
console.log(address);

/** The executor of a name, and the routes that it needs; none for claims in the store. */
async function executorOf(name) {
  if (name === 'bullmq') {
    const { bullmq } = await import('@sigil/bullmq');
    return { executor: bullmq({ connection: { url, maxRetriesPerRequest: null }, queue: 'chaos' }) };
  }
  if (name !== 'push') return {};
  const { push } = await import('@sigil/core/backend');
  const executor = push({
    url: queueUrl,
    headers: (delayMs) => ({ 'x-delay-ms': String(delayMs) }),
    key: STATE_KEY,
  });
  return { executor, routes: { '/tasks/run': executor.handle } };
}

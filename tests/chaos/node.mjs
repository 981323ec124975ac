/*
 * One node of the fleet that is killed and paused: `node.mjs <backend url> <folder for its notes>`. It serves on a free port, which it
 * says on standard output. Every run of its tool notes what it sees, so that afterwards it can be told what has happened twice.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, defineTool, TaskSupport } from '@sigil/core';
import { http } from '@sigil/http';

const [url, notes, skewMs] = process.argv.slice(2);
if (skewMs) {
  // A clock that is wrong by as much.
  const now = Date.now;
  Date.now = () => now() + Number(skewMs);
}
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
      await sleep(stepMs, undefined, { signal: ctx.signal });
    }
    return { name, results };
  },
});

const { backend } = url.startsWith('redis')
  ? { backend: (await import('@sigil/redis')).redis({ url }) }
  : { backend: (await import('@sigil/postgres')).postgres({ url }) };
const app = await createApp({
  name: 'chaos',
  version: '1.0.0',
  definitions: [work, defineTool({ name: 'ping', description: 'Answers', handle: () => 'pong' })],
  state: { keys: ['the same secret in every node of the fleet'] },
  tasks: { stallMs: 2_000, maxAttempts: 1_000, maxRunningPerClient: 1_000, maxRunning: 200 },
  backend,
});
const { address } = await app.run(http({ port: 0, ready: '/readyz', drainMs: 2_000 }));
console.log(address);

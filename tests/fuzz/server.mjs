// A server that hostile messages are sent to, over the transport its argument names; it tells its parent how it fares.
import { parseJson } from '@sigil/core/transport';
import { MemoryEventStore } from '@sigil/core/backend';
import { http } from '@sigil/http';
import { stdio } from '@sigil/stdio';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { createHostileApp } from './app.mjs';

const [transport, keep = '2000', plant] = process.argv.slice(2);
const keepMs = Number(keep);
const RESOLUTION_MS = 2;
const rejections = [];
process.on('unhandledRejection', (reason) => {
  const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  if (rejections.length < 20) rejections.push(text);
});

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const toMs = (nanoseconds) => Math.max(0, Math.round(nanoseconds / 1e6 - RESOLUTION_MS));

/** How the process fares since it was asked last. The collection it takes is not counted as delay. */
async function vitals() {
  const delays = { worst: toMs(delay.max), p99: toMs(delay.percentile(99)) };
  delay.disable();
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await sleep(20);
  }
  // Counts objects there are none of, for which V8 first collects all it can: compiled code that has gone out of use, too.
  queryObjects(class Nothing {});
  const { heapUsed, external } = process.memoryUsage();
  delay.reset();
  delay.enable();
  return { delays, heap: heapUsed, external, rejections: rejections.splice(0), polluted: 'polluted' in {} };
}

const app = await createHostileApp(keepMs);
const started = { memory: startInMemory, stdio: startStdio, http: startHttp }[transport];
const { address = '', line } = await started();
const updates = setInterval(() => app.notifyResourceUpdated('fuzz://clock'), 50);

/** Faults that a run must find, for the test of the run itself. */
const planted = { kept: [], lines: 0 };
const PLANTS = {
  crash: () => process.exit(9),
  rejection: () => void Promise.reject(new Error('planted')),
  hold: () => {
    for (const until = Date.now() + 1_500; Date.now() < until;);
  },
  heap: () => planted.kept.push(Array.from({ length: 3_000_000 }, (_, at) => ({ at }))),
  silence: () => (planted.lines = Infinity),
};

process.on('message', async (message) => {
  if (message.line !== undefined && planted.lines === 0) line(message.line);
  if (message.ask === 'vitals') {
    process.send({ vitals: await vitals() });
    // Once the heap is measured that the one at the end is held against.
    if (plant && !planted.isDone) setTimeout(PLANTS[plant], 20);
    planted.isDone = true;
  }
});
process.on('disconnect', () => {
  clearInterval(updates);
  process.exit(0);
});
delay.enable();
process.send({ ready: { address } });

async function startStdio() {
  await app.run(stdio({ handleSignals: false }));
  return {};
}

async function startHttp() {
  const eventStore = new MemoryEventStore({ maxAgeMs: keepMs, maxBytes: 8 * 1024 * 1024 });
  return app.run(
    http({
      port: 0,
      handleSignals: false,
      sse: true,
      streams: { store: eventStore },
      sessions: { idleMs: keepMs, max: 500 },
    }),
  );
}

/** What a text holds; undefined when it is more than a transport lets through. */
function parsed(text) {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The endpoint itself, with messages of the parent for a wire. */
function startInMemory() {
  const send = (text) => process.send({ line: text });
  const connect = () => app.endpoint.connect({ send, end: send });
  const state = { connection: connect() };
  const take = (text) => {
    if (text === null) {
      state.connection.close('The client has gone');
      state.connection = connect();
      return;
    }
    const message = parsed(text);
    if (message === undefined)
      send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Too much' } }));
    else state.connection.receive(message);
  };
  // The channel hands over all it has read in one turn, megabytes of it; each message is to be held for what it costs itself.
  const waiting = [];
  let isTaking = false;
  return {
    async line(text) {
      waiting.push(text);
      if (isTaking) return;
      isTaking = true;
      for (; waiting.length > 0; await turn()) take(waiting.shift());
      isTaking = false;
    },
  };
}

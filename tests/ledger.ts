/*
 * What a test opens is given back when it ends: jest.config.ts has every unit test run with this. It looks once the test and its hooks
 * are over, which is before the next one and at the end of the suite, and names the test that has left something.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect } from '@jest/globals';
import { CallSlots } from '../packages/core/src/engine/admission.js';
import { ConnectionState, Session } from '../packages/core/src/engine/connection-state.js';
import { Engine } from '../packages/core/src/engine/engine.js';
import { EngineCall } from '../packages/core/src/engine/engine-call.js';
import { Listeners, Subscribers } from '../packages/core/src/engine/subscriptions/subscriptions.js';
import { type TimeLimit, TimeLimits } from '../packages/core/src/engine/time-limit.js';
import { type Deadline, Deadlines } from '../packages/core/src/transport/deadlines.js';
import { Quota } from '../packages/core/src/transport/quota.js';

const HERE = [import.meta.url, fileURLToPath(import.meta.url)];
/** How long what ends by itself may take to, in milliseconds. */
const SETTLE_MS = 3_000;

/** Has a method of a class run within another function. */
function around<T extends object>(
  prototype: T,
  name: keyof T,
  within: (self: T, args: readonly unknown[], run: () => unknown) => unknown,
): void {
  const method = prototype[name] as (...args: unknown[]) => unknown;
  function wrapped(this: T, ...args: unknown[]): unknown {
    return within(this, args, () => method.apply(this, args));
  }
  Object.defineProperty(prototype, name, { value: wrapped, configurable: true, writable: true });
}

/** A call or session that has taken. It is kept by others alone: tests look what is freed. */
interface Taker {
  readonly reference: WeakRef<EngineCall | Session>;
  hasEnded: boolean;
}
const takers = new WeakMap<object, Taker>();

function takerOf(one: EngineCall | Session): Taker {
  const taker = takers.get(one) ?? { reference: new WeakRef(one), hasEnded: false };
  takers.set(one, taker);
  return taker;
}

/** Whether a session has ended; of a call, whether its handler has, and its client has its answer. */
function isOver({ reference, hasEnded }: Taker): boolean {
  const one = reference.deref();
  return hasEnded && (!(one instanceof EngineCall) || one.isOver || one.background !== undefined);
}

/** Who has taken, by place. */
const takenBy = new Map<object, Set<Taker>>();

/**
 * Where something of ours is begun, such as `Deadlines.add (packages/core/src/transport/deadlines.ts)`; `undefined` for what tests and
 * libraries begin. It is made text at once: an error would keep all that stands on its stack.
 */
function placeHere(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 8;
  Error.prepareStackTrace = (_error, sites) => {
    const site = sites.find((one) => !HERE.includes(one.getFileName() ?? ''));
    const path = /packages\/[\w-]+\/src\/.*/.exec(site?.getFileName() ?? '')?.[0];
    return path && `${[site?.getTypeName(), site?.getFunctionName()].filter(Boolean).join('.')} (${path})`;
  };
  const { stack } = new Error();
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return stack;
}

/** Mistakes that show at once. */
const found = new Set<string>();

/** What a place that takes from quotas is doing: what has been taken so far, by quota. */
interface Taking {
  readonly holder: object;
  readonly taken: Map<Quota, number>;
}
const taking: Taking[] = [];

/** By quota, the places that take from it, and where it was first taken from. */
const quotas = new Map<Quota, { readonly holders: Set<object>; readonly place: string | undefined }>();

function counted(quota: Quota, amount: number): void {
  const known = quotas.get(quota) ?? { holders: new Set(), place: placeHere() };
  quotas.set(quota, known);
  const [outermost] = taking;
  if (outermost) known.holders.add(outermost.holder);
  for (const { taken } of taking) taken.set(quota, (taken.get(quota) ?? 0) + amount);
}

around(Quota.prototype, 'take', (quota, [, amount], run) => {
  const isTaken = run();
  if (isTaken === true) counted(quota, Number(amount ?? 1));
  return isTaken;
});
around(Quota.prototype, 'give', (quota, [, amount], run) => {
  run();
  counted(quota, -Number(amount ?? 1));
});

/** Lets a place take. It must not keep anything of what it refuses. */
function takes(holder: object, run: () => unknown): unknown {
  const taken = new Map<Quota, number>();
  taking.push({ holder, taken });
  try {
    return run();
  } catch (error) {
    for (const [quota, amount] of taken)
      if (amount !== 0)
        found.add(`${holder.constructor.name}: ${amount} of ${quota.total} kept of what was refused`);
    throw error;
  } finally {
    taking.pop();
  }
}

/** Lets a place take for a call or session. */
function takesFor(place: object, one: unknown, run: () => unknown, from: object = place): unknown {
  const result = takes(place, run);
  if (one instanceof EngineCall || one instanceof Session)
    takenBy.set(from, (takenBy.get(from) ?? new Set()).add(takerOf(one)));
  return result;
}

around(CallSlots.prototype, 'take', (slots, [call], run) => takesFor(slots, call, run));
around(Listeners.prototype, 'reserve', (listeners, [call], run) => takesFor(listeners, call, run));

/** The time limits that count, each with its deadline. */
const deadlines = new WeakMap<TimeLimit, Deadline>();
let added: Deadline | undefined;
around(Deadlines.prototype, 'add', (_deadlines, _args, run) => (added = run() as Deadline));
around(TimeLimits.prototype, 'start', (_limits, _args, run) => {
  const limit = run() as TimeLimit;
  if (added) deadlines.set(limit, added);
  added = undefined;
  return limit;
});
around(EngineCall.prototype, 'over', (call, _args, run) => {
  run();
  takerOf(call).hasEnded = true;
  const deadline = call.limit && deadlines.get(call.limit);
  if (deadline && deadline.before !== deadline) found.add(`TimeLimit: it counts on after ${call.method}`);
});

const subscribers = new Set<Subscribers>();
around(ConnectionState.prototype, 'begin', (state, [session, quota], run) =>
  takesFor(state, session, run, quota as Quota),
);
around(Subscribers.prototype, 'keep', (self, [session], run) => takesFor(self, session, run));
around(Subscribers.prototype, 'dropAll', (_subscribers, [session], run) => {
  takerOf(session as Session).hasEnded = true;
  run();
});
around(Subscribers.prototype, 'add', (self, _args, run) => {
  subscribers.add(self);
  run();
});

const engines = { open: new Set<Engine>(), made: false };
around(Engine.prototype, 'start', (engine, _args, run) => {
  engines.open.add(engine);
  engines.made = true;
  run();
});
around(Engine.prototype, 'close', async (engine, _args, run) => {
  await run();
  engines.open.delete(engine);
});

/** Our timers that have neither run nor been taken back, with where they were set. */
const timers = new Map<unknown, string>();
const real = { setTimeout, setInterval, clearTimeout, clearInterval, now: performance.now.bind(performance) };

function noted(timer: NodeJS.Timeout): NodeJS.Timeout {
  const place = placeHere();
  if (place !== undefined) timers.set(timer, place);
  return timer;
}
globalThis.setTimeout = Object.assign(
  (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = real.setTimeout(() => {
      timers.delete(timer);
      run(...args);
    }, ms);
    return noted(timer);
  },
  setTimeout,
);
globalThis.setInterval = Object.assign(
  (...args: Parameters<typeof setInterval>) => noted(real.setInterval(...args)),
  setInterval,
);
for (const clear of ['clearTimeout', 'clearInterval'] as const)
  globalThis[clear] = (timer) => {
    timers.delete(timer);
    real[clear](timer);
  };

const children = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap').length;

/** Whether all that has taken from a place is over. */
function isIdle(place: object): boolean {
  return [...(takenBy.get(place) ?? [])].every(isOver);
}

/** The title of the test before, and how many processes there were before it. */
let before: { readonly title: string | undefined; readonly children: number } | undefined;

/** What has not been given back. */
function* left(): Generator<string> {
  yield* found;
  const isClosed = engines.made && engines.open.size === 0;
  for (const [quota, { holders, place }] of quotas) {
    if (quota.taken === 0) continue;
    // What stores keep stays until its time is over.
    const isDue =
      holders.size > 0 ? [quota, ...holders].every(isIdle) : isClosed && !place?.includes('/memory/');
    if (isDue) yield `${quota.taken} of ${quota.total} of the quota of ${place ?? 'the test'}`;
  }
  const open = [...takenBy.values()].flatMap((those) => [...those].filter((taker) => !isOver(taker)));
  if (open.length === 0)
    for (const { uris } of subscribers) for (const uri of uris) yield `the subscription to ${uri}`;
  if (!isClosed) return;
  const sessions = open.filter(({ reference }) => reference.deref() instanceof Session);
  if (sessions.length > 0) yield `${sessions.length} sessions`;
  for (const [timer, place] of timers)
    if (typeof timer === 'object' && (timer as NodeJS.Timeout).hasRef()) yield `the timer of ${place}`;
  if (children() > (before?.children ?? 0)) yield `${children()} processes`;
}

/** Fails for what the test before has left, unless it ends in a moment. */
async function settle(): Promise<void> {
  const end = real.now() + SETTLE_MS;
  let leaks = [...left()];
  while (leaks.length > 0 && real.now() < end) {
    await new Promise((resolve) => real.setTimeout(resolve, 5));
    leaks = [...left()];
  }
  found.clear();
  timers.clear();
  // What was left is said once; what is still held is looked at after the next test.
  for (const [quota] of quotas) if (quota.taken === 0 || leaks.length > 0) quotas.delete(quota);
  for (const those of takenBy.values()) for (const taker of those) if (isOver(taker)) those.delete(taker);
  if (leaks.length > 0) {
    subscribers.clear();
    throw new Error(`The test "${before?.title}" has left:\n${leaks.join('\n')}`);
  }
}

beforeEach(async () => {
  await settle();
  before = { title: expect.getState().currentTestName, children: children() };
});
afterAll(settle);

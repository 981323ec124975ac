import { afterEach, describe, expect, test } from '@jest/globals';
import { type Official, v1, v2Legacy, v2Pinned } from './clients.js';
import { Nodes, noNodes } from './nodes.js';
import type { ProxyName } from './proxies.js';
import type { StoreName } from './stores.js';

/** Two of each: in the time between two of their calls a connection is idle, and may be closed under the next one. */
const KINDS = [v1('2025-11-25'), v2Legacy('2025-11-25'), v2Pinned].flatMap((kind) => [kind, kind]);
/** Milliseconds between two calls of a client. */
const PAUSE_MS = 10;

/** What became of the calls. */
interface Calls {
  done: number;
  readonly failed: string[];
}

const ending: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
}, 30_000);

/** Calls one tool after the other until it is told to stop. */
async function keepCalling({ client }: Official, calls: Calls, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    // Each fourth answer is a stream.
    const name = calls.done % 4 === 0 ? 'test_tool_with_progress' : 'test_simple_text';
    try {
      await client.callTool({ name, arguments: {} });
      calls.done += 1;
    } catch (error) {
      calls.failed.push(describeFailure(error));
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const PLACES: readonly (readonly [StoreName, ProxyName])[] = [
  ['redis', 'haproxy'],
  ['redis', 'nginx'],
  ['redis cluster', 'haproxy'],
  ['redis sentinel', 'nginx'],
  ['pgbouncer by session', 'nginx'],
  ['pgbouncer by transaction', 'haproxy'],
];

for (const [store, proxy] of PLACES) {
  const why = noNodes(store, proxy);
  const name = `a rolling deploy on ${store} behind ${proxy}`;
  if (why === undefined) describe(name, () => deploys(store, proxy));
  else describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
}

function deploys(store: StoreName, proxy: ProxyName): void {
  test('fails no call of an official client', async () => {
    const nodes = await Nodes.start(store, proxy);
    ending.push(() => nodes.stop());
    const clients = await Promise.all(KINDS.map((kind) => kind.connect({ address: nodes.address })));
    ending.push(async () => void (await Promise.all(clients.map(({ client }) => client.close()))));
    const calls: Calls = { done: 0, failed: [] };
    const deploy = { isOver: false };
    const calling = Promise.all(
      clients.map((client) => keepCalling(client, calls, () => deploy.isOver && calls.done > 1000)),
    );
    for (const at of nodes.processes.keys()) {
      await nodes.endNode(at);
      await nodes.restartNode(at);
    }
    deploy.isOver = true;
    await calling;
    expect(calls.failed).toEqual([]);
    expect(calls.done).toBeGreaterThan(1000);
  }, 120_000);
}

/** What a client says, with the cause that `fetch` leaves out of its message. */
function describeFailure(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string } };
  return cause?.message === undefined ? message : `${message}: ${cause.message}`;
}

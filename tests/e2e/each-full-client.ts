import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type Place, STATELESS_VERSION } from './clients.js';
import { connectFull, type FullClient, type Generation } from './full-client.js';
import { Nodes, noNodes } from './nodes.js';
import type { StoreName } from './stores.js';
import type { ProxyName } from './proxies.js';
import { EVERYTHING, endProcesses, freePort, ServerProcess, until } from './processes.js';

/** What a group of tests works with. */
export interface Stage {
  /** The client under test, connected once for the group. */
  readonly client: () => FullClient;
  /** The revision its connection speaks. */
  readonly version: string;
  /** Whether several clients can share a server there. */
  readonly shared: boolean;
  /** How many processes serve: what an app keeps in memory is of one of them. */
  readonly processes: number;
  /** Connects another one of its kind, to the same server where that is shared. The group closes it. */
  readonly another: () => Promise<FullClient>;
}

const GENERATIONS: readonly Generation[] = ['v1', 'v2'];

/** The newest revisions with sessions and without. */
const NEWEST = ['2025-11-25', STATELESS_VERSION];

/** Where several processes serve together: each kind of store and of load balancer once. */
const NODES: readonly (readonly [StoreName, ProxyName])[] = [
  ['redis', 'nginx'],
  ['postgres', 'haproxy'],
];

/** Runs tests against the everything app, by every official client that speaks each revision, over stdio, HTTP, and on three nodes. */
export function describeFullClients(versions: readonly string[], tests: (stage: Stage) => void): void {
  describeOneProcess(versions, tests);
  // What differs between older revisions does not depend on where they are served.
  const newest = versions.filter((version) => NEWEST.includes(version));
  for (const [store, proxy] of NODES) {
    describeNodes(store, proxy, (place) => {
      for (const generation of GENERATIONS) describeClients(generation, 'nodes', newest, place, tests);
    });
  }
}

/**
 * Runs tests against three nodes on a store, behind a load balancer that gives every request to the next one.
 *
 * @param tests is told where to connect to, once its tests run.
 */
export function describeNodes(store: StoreName, proxy: ProxyName, tests: (place: () => Place) => void): void {
  const why = noNodes(store, proxy);
  const name = `three nodes on ${store} behind ${proxy}`;
  if (why !== undefined) return describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
  describe(name, () => {
    let nodes: Nodes | undefined;
    beforeAll(async () => {
      nodes = await Nodes.start(store, proxy);
    }, 60_000);
    afterAll(() => nodes?.stop(), 20_000);
    tests(() => ({ address: nodes?.address ?? '' }));
  });
}

function describeOneProcess(versions: readonly string[], tests: (stage: Stage) => void): void {
  let address = '';

  beforeAll(async () => {
    address = await serveEverything();
  }, 20_000);

  afterAll(endProcesses);

  for (const generation of GENERATIONS) {
    describeClients(generation, 'stdio', versions, () => ({ script: EVERYTHING }), tests);
    describeClients(generation, 'HTTP', versions, () => ({ address }), tests);
  }
}

function describeClients(
  generation: Generation,
  where: 'stdio' | 'HTTP' | 'nodes',
  versions: readonly string[],
  place: () => Place,
  tests: (stage: Stage) => void,
): void {
  const spoken = versions.filter((version) => generation === 'v2' || version !== STATELESS_VERSION);
  describe.each(spoken)(`client ${generation} over ${where}, %s`, (version) => {
    const opened: FullClient[] = [];
    const another = async (): Promise<FullClient> => {
      const client = await connectFull(generation, version, place());
      opened.push(client);
      return client;
    };

    beforeAll(async () => void (await another()), 20_000);
    afterAll(() => Promise.all(opened.map((client) => client.close())));

    const processes = where === 'nodes' ? 3 : 1;
    tests({ client: () => first(opened), version, shared: where !== 'stdio', processes, another });
  });
}

/** Starts the app over HTTP the way its README says, and waits until it answers. */
export async function serveEverything(): Promise<string> {
  const port = await freePort();
  new ServerProcess(EVERYTHING, ['--http', '--port', String(port)]);
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
  return address;
}

function first(opened: readonly FullClient[]): FullClient {
  const [client] = opened;
  if (!client) throw new Error('The client is connected before the tests run');
  return client;
}

import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Place } from './clients.js';
import { connectFull, type FullClient, type Generation } from './full-client.js';
import { EVERYTHING, endProcesses, freePort, ServerProcess, until } from './processes.js';

/** What a group of tests works with. */
export interface Stage {
  /** The client under test, connected once for the group. */
  readonly client: () => FullClient;
  /** The revision its connection speaks. */
  readonly version: string;
  /** Whether several clients can share a server there. */
  readonly shared: boolean;
  /** Connects another one of its kind, to the same server where that is shared. The group closes it. */
  readonly another: () => Promise<FullClient>;
}

const GENERATIONS: readonly Generation[] = ['v1', 'v2'];

/** Runs tests against the everything app, by both official clients in each revision, over stdio and HTTP. */
export function describeFullClients(versions: readonly string[], tests: (stage: Stage) => void): void {
  let address = '';

  beforeAll(async () => {
    address = await serveEverything();
  }, 20_000);

  afterAll(endProcesses);

  for (const place of ['stdio', 'HTTP']) {
    for (const generation of GENERATIONS) {
      describe.each(versions)(`client ${generation} over ${place}, %s`, (version) => {
        const opened: FullClient[] = [];
        const another = async (): Promise<FullClient> => {
          const where: Place = place === 'HTTP' ? { address } : { script: EVERYTHING };
          const client = await connectFull(generation, version, where);
          opened.push(client);
          return client;
        };

        beforeAll(async () => void (await another()), 20_000);
        afterAll(() => Promise.all(opened.map((client) => client.close())));

        tests({ client: () => first(opened), version, shared: place === 'HTTP', another });
      });
    }
  }
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

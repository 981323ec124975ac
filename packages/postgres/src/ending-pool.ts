import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg';

/** How long a connection may take to end in peace, in milliseconds. */
const END_MS = 500;

/** A pool whose end leaves nothing behind, also when PostgreSQL does not answer. */
export class EndingPool extends Pool {
  readonly #clients = new Set<PoolClient>();

  constructor(options: PoolConfig) {
    super(options);
    this.on('connect', (client) => {
      this.#clients.add(client);
      // A connection that is lost fails what is asked on it; without a listener the process would end.
      client.on('error', () => undefined);
    });
    this.on('remove', (client) => this.#clients.delete(client));
    this.on('error', () => undefined);
  }

  /** Ends all connections: those at rest now, those at work when they are done or have taken too long. */
  async close(): Promise<void> {
    if (this.ending) return;
    await soon(this.end());
    for (const client of this.#clients) cutClient(client);
  }
}

/** Ends a client, also when PostgreSQL does not answer. */
export async function endClient(client: Client): Promise<void> {
  await soon(client.end());
  cutClient(client);
}

async function soon(ending: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, END_MS)));
  await Promise.race([ending.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Cuts the connection of a client: its socket would wait for a goodbye, and keep the process. */
export function cutClient(client: object): void {
  const { connection }: { connection?: { stream?: { destroy(): void } } } = client;
  connection?.stream?.destroy();
}

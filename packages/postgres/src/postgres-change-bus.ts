import { createHash } from 'node:crypto';
import { type ChangeBus, MemoryChangeBus, type ServerChange } from '@sigil/core/backend';
import { isObject } from '@sigil/core/internal';
import { Listener } from './listener.js';
import type { PostgresConnection } from './postgres-connection.js';

/** Longer payloads go through a table: PostgreSQL takes less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;

/** How long a message is kept for processes to read it, in milliseconds. */
const MESSAGE_MS = 60_000;

/** The change for listeners after changes were lost. */
const ALL: ServerChange = { kind: 'all' };

/**
 * Carries changes by LISTEN and NOTIFY: one channel for all processes, and one for each process. A notification has ids
 * and names; a message is stored in a table, and its notification has the row's number. Changes are lost while the
 * listening connection is broken; after that, listeners are told that everything may have changed.
 *
 * LISTEN needs a connection of its own: a pooler such as PgBouncer must pool by session, or is passed by with
 * `listenUrl`.
 */
export class PostgresChangeBus implements ChangeBus {
  readonly #listener: Listener;
  /** The listeners in this process. */
  readonly #local = new MemoryChangeBus();
  /** Numbers of rows to read. */
  #unread: string[] = [];

  /** @param connection to PostgreSQL; it is not closed with the bus. */
  constructor(private readonly connection: PostgresConnection) {
    this.#listener = new Listener(connection, {
      notified: (payload) => this.#notified(payload),
      resumed: () => this.#local.publish(ALL),
    });
    connection.sweep(`SELECT $schema.sweep('messages') AS more`);
  }

  async publish(change: ServerChange): Promise<void> {
    const text = JSON.stringify(change);
    const channel = this.#channelOf(change.kind === 'message' ? change.to : undefined);
    if (change.kind === 'message' || Buffer.byteLength(text) > MAX_PAYLOAD_BYTES)
      await this.connection.query('SELECT $schema.publish_message($1, $2, $3)', channel, text, MESSAGE_MS);
    else await this.connection.query('SELECT pg_notify($1, $2)', channel, text);
  }

  /** While PostgreSQL does not answer, it listens from the moment that it does. */
  async subscribe(tell: (change: ServerChange) => void, node?: string): Promise<() => void> {
    const stop = this.#local.subscribe(tell, node);
    // A channel stays listened to without subscribers: there are two.
    await this.#listener.listen(this.#channelOf(undefined));
    if (node !== undefined) await this.#listener.listen(this.#channelOf(node));
    return stop;
  }

  /** How often the connection that listens was made again after it was lost. */
  get reconnects(): number {
    return this.#listener.reconnects;
  }

  /** Ends the connection that listens. */
  close(): Promise<void> {
    return this.#listener.close();
  }

  #notified(payload: string): void {
    const id = /^#(\d{1,18})$/.exec(payload)?.[1];
    if (id === undefined) return this.#tell(payload);
    this.#unread.push(id);
    // Rows that arrive together are read together.
    if (this.#unread.length === 1) setImmediate(() => void this.#read());
  }

  async #read(): Promise<void> {
    const ids = this.#unread;
    this.#unread = [];
    try {
      const rows = await this.connection.query<{ body: string }>(
        'SELECT body FROM $schema.messages WHERE id = ANY ($1::bigint[]) ORDER BY id',
        ids,
      );
      for (const { body } of rows) this.#tell(body);
    } catch {
      this.#local.publish(ALL);
    }
  }

  #tell(text: string): void {
    const change = parse(text);
    if (change) this.#local.publish(change);
  }

  /** The name of a channel has 63 bytes at most: a process is known by the beginning of a hash. */
  #channelOf(node: string | undefined): string {
    const { schema } = this.connection;
    if (node === undefined) return `${schema}_changes`;
    return `${schema}_${createHash('sha256').update(node).digest('hex').slice(0, 14)}`;
  }
}

/** Every user of the database can notify: invalid changes are ignored. */
function parse(text: string): ServerChange | undefined {
  try {
    const change: unknown = JSON.parse(text);
    return isObject(change) && typeof change['kind'] === 'string' ? (change as ServerChange) : undefined;
  } catch {
    return undefined;
  }
}

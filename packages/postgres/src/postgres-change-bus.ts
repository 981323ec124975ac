import { createHash } from 'node:crypto';
import { type ChangeBus, MemoryChangeBus, type ServerChange } from '@sigil/core/backend';
import { isObject } from '@sigil/core/internal';
import { Listener } from './listener.js';
import type { PostgresConnection } from './postgres-connection.js';

/** Longer payloads go through a table: PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000;

/** How long a message is kept so that processes can read it, in milliseconds. */
const MESSAGE_MS = 60_000;

/** The change that listeners get after changes were lost. */
const ALL: ServerChange = { kind: 'all' };

/**
 * Sends changes to other processes with LISTEN and NOTIFY, over one channel for all processes and one for each process.
 * Most notifications contain the change itself, which consists of ids and names. A message from process to process, or
 * a long change, is stored in a table. The notification then contains only the number of the row. Changes are lost
 * while the listening connection is broken. After a reconnection, listeners receive a change of the kind `all`:
 * everything may have changed.
 *
 * LISTEN needs a dedicated connection: a pooler such as PgBouncer must be in session mode, or be bypassed with
 * `listenUrl`.
 */
export class PostgresChangeBus implements ChangeBus {
  readonly #listener: Listener;
  /** The listeners in this process. */
  readonly #local = new MemoryChangeBus();
  /** The numbers of the rows to read. */
  #unread: string[] = [];

  /** @param connection the connection to PostgreSQL; closing the bus does not close it. */
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

  /** Begins to listen to changes. If PostgreSQL does not answer, listening begins as soon as it answers. */
  async subscribe(tell: (change: ServerChange) => void, node?: string): Promise<() => void> {
    const stop = this.#local.subscribe(tell, node);
    // The bus keeps listening to channels without subscribers: there are only two.
    await this.#listener.listen(this.#channelOf(undefined));
    if (node !== undefined) await this.#listener.listen(this.#channelOf(node));
    return stop;
  }

  /** How many times the listening connection was re-established after a loss. */
  get reconnects(): number {
    return this.#listener.reconnects;
  }

  /** Closes the listening connection. */
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

  /**
   * Returns the channel of a process. Names of channels have at most 63 bytes, so the beginning of a hash
   * identifies the process.
   */
  #channelOf(node: string | undefined): string {
    const { schema } = this.connection;
    if (node === undefined) return `${schema}_changes`;
    return `${schema}_${createHash('sha256').update(node).digest('hex').slice(0, 14)}`;
  }
}

/**
 * Parses a notification. Invalid ones are ignored, because every user of the database can send notifications.
 */
function parse(text: string): ServerChange | undefined {
  try {
    const change: unknown = JSON.parse(text);
    return isObject(change) && typeof change['kind'] === 'string' ? (change as ServerChange) : undefined;
  } catch {
    return undefined;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@sigil/core/internal';
import { Client } from 'pg';
import { cutClient, endClient } from './statement-pool.js';
import type { PostgresConnection } from './postgres-connection.js';

/** How long `listen` waits for a database that does not answer, in milliseconds. */
const OPEN_MS = 1_000;

/**
 * How long to wait between two attempts to connect, in milliseconds: at first the first value, then twice as long each
 * time, up to the second value.
 */
const [FIRST_BACKOFF_MS, MAX_BACKOFF_MS] = [50, 1_000];

/** Milliseconds between heartbeats: a connection that broke silently looks like a quiet one. */
const HEARTBEAT_MS = 2_000;

/** The callbacks of a listener. */
export interface ListenerEvents {
  /** Called with the payload of a notification on any channel. */
  readonly notified: (payload: string) => void;
  /**
   * Called when the listener listens again after its connection was lost. Notifications that were sent in between are
   * lost.
   */
  readonly resumed: () => void;
}

/** Listens to channels on its own connection, and reconnects when the connection is lost. */
export class Listener {
  readonly #channels = new Set<string>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** The client that listens, or is about to listen. */
  #client: Client | undefined;
  /** The existing client, connected or not. */
  #current: Client | undefined;
  #isMissing = false;
  #hasListened = false;
  #reconnects = 0;
  /** Callbacks that wait for a listening connection. */
  readonly #waiting = new Set<() => void>();

  /**
   * @param connection the source of the address of PostgreSQL. The listener opens its own connection to this address.
   */
  constructor(
    private readonly connection: PostgresConnection,
    private readonly events: ListenerEvents,
  ) {}

  /** How many times the listener's connection was re-established after a loss. */
  get reconnects(): number {
    return this.#reconnects;
  }

  /**
   * Begins to listen to a channel, in addition to earlier channels. Resolves when the listener listens to it, or after
   * one second if PostgreSQL does not answer. After that second, the listener keeps trying.
   */
  async listen(channel: string): Promise<void> {
    if (this.#channels.has(channel) && this.#client) return;
    this.#channels.add(channel);
    const client = this.#client;
    if (client) return this.#listenOn(client, channel);
    this.#running ??= this.#run();
    const connected = new Promise<void>((resolve) => this.#waiting.add(resolve));
    await within(OPEN_MS, connected, () => void (this.#isMissing = true));
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#current) cutClient(this.#current);
    await this.#running;
  }

  async #listenOn(client: Client, channel: string): Promise<void> {
    try {
      await client.query(`LISTEN "${channel}"`);
    } catch {
      // A connection that fails here is closed: the next one listens to all channels.
      this.#isMissing = true;
      await endClient(client);
    }
  }

  async #run(): Promise<void> {
    let attempts = 0;
    while (!this.#closing.signal.aborted) {
      try {
        const query_timeout = this.connection.timeoutMs;
        // This throws while a file that the address names is missing.
        const client = new Client({ ...this.connection.listenerOptions(), query_timeout });
        this.#current = client;
        const ended = new Promise<void>((resolve) => client.on('error', () => resolve()).on('end', resolve));
        client.on('notification', ({ payload = '' }) => this.events.notified(payload));
        await this.#begin(client);
        attempts = 0;
        await Promise.race([ended, this.#keepAsking(client)]);
      } catch {
        // The connection for statements already reports that PostgreSQL does not answer.
      }
      this.#client = undefined;
      this.#isMissing = true;
      if (this.#current) await endClient(this.#current);
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** attempts, MAX_BACKOFF_MS);
      attempts += 1;
      await this.#pause(backoffMs * (0.5 + Math.random() / 2));
    }
  }

  /** Connects, and listens to all channels. */
  async #begin(client: Client): Promise<void> {
    await client.connect();
    // Set before the query, so that a channel that is added in between is included.
    this.#client = client;
    await client.query([...this.#channels].map((channel) => `LISTEN "${channel}"`).join(';'));
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
    if (this.#hasListened) this.#reconnects += 1;
    this.#hasListened = true;
    if (!this.#isMissing) return;
    this.#isMissing = false;
    this.events.resumed();
  }

  async #keepAsking(client: Client): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pause(HEARTBEAT_MS);
      if (!this.#closing.signal.aborted) await client.query('SELECT 1');
    }
  }

  /** Waits for a time, or until the listener is closed. */
  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }
}

import { OverloadedError, type StateKind, type StateStore } from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { clientText, expiryMs, QUOTA_LUA } from './quota-script.js';
import { type RedisConnection, redisScript } from './redis-connection.js';

/** How much is remembered, of each kind for itself. */
export interface RedisStateStoreOptions {
  /**
   * Most ids that have not expired; beyond them every request that brings a state back fails.
   * @default 100,000
   */
  readonly maxStates?: number;
  /**
   * Most of them of one client; beyond them its own requests fail.
   * @default a quarter of maxStates
   */
  readonly maxStatesPerClient?: number;
}

/** The names of the options. */
export const STATE_OPTIONS: OptionTable<RedisStateStoreOptions> = {
  maxStates: true,
  maxStatesPerClient: true,
};

const USE = redisScript(`${QUOTA_LUA}
local id, client, forMs = ARGV[1], ARGV[2], ARGV[3]
if redis.call('EXISTS', keyOf(id)) == 1 then return 'used' end
if not take(client, id, forMs, ARGV[4], ARGV[5]) then return 'full' end
redis.call('SET', keyOf(id), '', 'PX', forMs)
return 'new'
`);

/**
 * Remembers used states in Redis, for all processes, and forgets them when they expire.
 *
 * @example
 * ```ts
 * const store = new RedisStateStore(new RedisConnection({ url: 'redis://127.0.0.1:6379' }));
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key], store } });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RedisStateStore implements StateStore {
  readonly #connection: RedisConnection;
  readonly #limits: Required<RedisStateStoreOptions>;

  /**
   * @param connection to the Redis that remembers.
   * @param options how much is kept.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(connection: RedisConnection, options: RedisStateStoreOptions = {}) {
    OptionChecks.limits('RedisStateStore', options, STATE_OPTIONS);
    const { maxStates = 100_000, maxStatesPerClient = Math.ceil(maxStates / 4) } = options;
    this.#connection = connection;
    this.#limits = { maxStates, maxStatesPerClient };
  }

  /** @throws OverloadedError when there is no room: to forget an id would be to accept its state again. */
  async use(id: string, forMs: number, client?: string, kind: StateKind = 'states'): Promise<boolean> {
    const { maxStates, maxStatesPerClient } = this.#limits;
    const base = `{${this.#connection.prefix}:${kind}}`;
    const args = [id, clientText(client), expiryMs(forMs), maxStates, maxStatesPerClient];
    const reply = await this.#connection.run(USE, [base], args);
    if (reply === 'full')
      throw new OverloadedError(
        `More than ${maxStates} ${kind} are in use, or ${maxStatesPerClient} of one client`,
      );
    return reply === 'new';
  }
}

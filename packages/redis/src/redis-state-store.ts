import type { StateKind, StateStore, StateUse } from '@sigil/core/backend';
import { quotaExceeded, type StoreLimits } from '@sigil/core/internal';
import { clientText, expiryMs, QUOTA_LUA } from './quota-script.js';
import { type RedisConnection, redisScript } from './redis-connection.js';

const KINDS: readonly StateKind[] = ['states', 'proofs'];

/** Since when Redis remembers, in milliseconds by its clock. This value is lost together with the data. */
const EPOCH_LUA = `
local epoch = redis.call('GET', base .. ':epoch')
if not epoch then
  epoch = string.format('%.0f', now)
  redis.call('SET', base .. ':epoch', epoch)
end
`;

const BEGIN = redisScript(`${QUOTA_LUA}${EPOCH_LUA}`);

const USE = redisScript(`${QUOTA_LUA}${EPOCH_LUA}
local id, client, forMs = ARGV[1], ARGV[2], ARGV[3]
if redis.call('EXISTS', keyOf(id)) == 1 then return 'used' end
if now - tonumber(ARGV[6]) < tonumber(epoch) then return 'forgotten' end
if not take(client, id, forMs, ARGV[4], ARGV[5]) then return 'full' end
redis.call('SET', keyOf(id), '', 'PX', forMs)
return 'first'
`);

/**
 * Records in Redis the id of each `requestState` and each DPoP proof that a client has sent. So each of them is
 * accepted only once, even if an app has several processes.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RedisStateStore implements StateStore {
  /**
   * @param connection the connection to Redis.
   * @param limits the maximum numbers of records, in total and for each client.
   */
  constructor(
    private readonly connection: RedisConnection,
    private readonly limits: Required<StoreLimits>,
  ) {
    connection.onReady(() => this.begin());
  }

  /**
   * Stores the current time in the key `epoch`, unless Redis already has this key. If a state was issued before the
   * time in this key, its use is reported as `forgotten`, because records of earlier uses can be lost.
   */
  async begin(): Promise<void> {
    await Promise.all(KINDS.map((kind) => this.connection.run(BEGIN, [this.#baseOf(kind)], [])));
  }

  /**
   * Records the use of a state or proof, and returns whether this is its first use. A full store does not remove a
   * record early, because the state or proof could then be used again.
   *
   * @throws OverloadedError if the store is full.
   */
  async use(
    id: string,
    forMs: number,
    client?: string,
    kind: StateKind = 'states',
    ageMs: number = 0,
  ): Promise<StateUse> {
    const { maxStates, maxStatesPerClient } = this.limits;
    const args = [id, clientText(client), expiryMs(forMs), maxStates, maxStatesPerClient, ageMs];
    const reply = await this.connection.run(USE, [this.#baseOf(kind)], args);
    if (reply === 'full') throw quotaExceeded(`${kind} are in use`, maxStates, maxStatesPerClient);
    return reply === 'first' || reply === 'forgotten' ? reply : 'used';
  }

  #baseOf(kind: StateKind): string {
    return `{${this.connection.prefix}:${kind}}`;
  }
}

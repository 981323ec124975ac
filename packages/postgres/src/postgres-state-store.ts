import type { StateKind, StateStore, StateUse } from '@sigil/core/backend';
import { quotaExceeded } from '@sigil/core/internal';
import type { PostgresLimits } from './limits.js';
import { clientKeyOf, keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/**
 * Records in PostgreSQL the id of each `requestState` and each DPoP proof that a client has sent. So each of them is
 * accepted only once, even if an app has several processes.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class PostgresStateStore implements StateStore {
  /**
   * @param connection the connection to PostgreSQL; the store does not close it.
   * @param limits the maximum numbers of records, in total and for each client.
   */
  constructor(
    private readonly connection: PostgresConnection,
    private readonly limits: Required<PostgresLimits>,
  ) {
    connection.sweep(`SELECT $schema.sweep('states') AS more`);
    connection.sweep(`SELECT $schema.sweep('proofs') AS more`);
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
    // Each kind has its own table.
    const use = await this.connection.makeRoom(kind, async () => {
      const [row] = await this.connection.query<{ outcome: StateUse | 'full' }>(
        `SELECT $schema.use_${kind}($1, $2, $3, $4, $5, $6) AS outcome`,
        keyOf(id),
        Math.ceil(forMs),
        clientKeyOf(client),
        maxStates,
        maxStatesPerClient,
        Math.round(ageMs),
      );
      return row?.outcome === 'full' ? undefined : (row?.outcome ?? 'used');
    });
    if (use === undefined) throw quotaExceeded(`${kind} are in use`, maxStates, maxStatesPerClient);
    return use;
  }
}

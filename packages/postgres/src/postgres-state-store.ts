import { OverloadedError, type StateKind, type StateStore, type StateUse } from '@sigil/core/backend';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { clientKeyOf, keyOf } from './names.js';
import type { PostgresConnection } from './postgres-connection.js';

/** How much is remembered, of each kind for itself. */
export interface PostgresStateStoreOptions {
  /**
   * Most ids that have not expired, in all processes; beyond them every request that brings a state back fails.
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
export const STATE_OPTIONS: OptionTable<PostgresStateStoreOptions> = {
  maxStates: true,
  maxStatesPerClient: true,
};

/**
 * Remembers used states in PostgreSQL, so that each is accepted once by all processes that serve an app.
 *
 * @example
 * ```ts
 * const store = new PostgresStateStore(connection, { maxStates: 10_000 });
 * const app = await createApp({ name: 'shop', version: '1.0.0', state: { keys: [key], store } });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class PostgresStateStore implements StateStore {
  readonly #connection: PostgresConnection;
  readonly #limits: Required<PostgresStateStoreOptions>;

  /**
   * @param connection to PostgreSQL; it is not closed with the store.
   * @param options how much is remembered.
   * @throws DefinitionError when a limit is no positive integer.
   */
  constructor(connection: PostgresConnection, options: PostgresStateStoreOptions = {}) {
    OptionChecks.limits('PostgresStateStore', options, STATE_OPTIONS);
    const { maxStates = 100_000, maxStatesPerClient = Math.ceil(maxStates / 4) } = options;
    this.#connection = connection;
    this.#limits = { maxStates, maxStatesPerClient };
    connection.sweep(sweepSql('states'));
    connection.sweep(sweepSql('proofs'));
  }

  /** @throws OverloadedError when there is no room: to forget an id would be to accept its state again. */
  async use(
    id: string,
    forMs: number,
    client?: string,
    kind: StateKind = 'states',
    ageMs: number = 0,
  ): Promise<StateUse> {
    let outcome = await this.#use(id, forMs, client, kind, ageMs);
    if (outcome === 'full') {
      await this.#connection.query(sweepSql(kind));
      outcome = await this.#use(id, forMs, client, kind, ageMs);
    }
    if (outcome !== 'full') return outcome;
    const { maxStates, maxStatesPerClient } = this.#limits;
    throw new OverloadedError(
      `More than ${maxStates} ${kind} are in use, or ${maxStatesPerClient} of one client`,
    );
  }

  async #use(
    id: string,
    forMs: number,
    client: string | undefined,
    kind: StateKind,
    ageMs: number,
  ): Promise<StateUse | 'full'> {
    const [row] = await this.#connection.query<{ outcome: StateUse | 'full' }>(
      `SELECT $schema.use_${kind}($1, $2, $3, $4, $5, $6) AS outcome`,
      keyOf(id),
      Math.ceil(forMs),
      clientKeyOf(client),
      this.#limits.maxStates,
      this.#limits.maxStatesPerClient,
      Math.round(ageMs),
    );
    return row?.outcome ?? 'used';
  }
}

/** Deletes what has expired of a kind, which is also the name of its table. */
function sweepSql(kind: StateKind): string {
  return `SELECT $schema.sweep('${kind}') AS more`;
}

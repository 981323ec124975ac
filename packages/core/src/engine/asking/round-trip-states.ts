import { ERROR_CODES, invalidParams, OverloadedError, ProtocolError } from '../../errors/errors.js';
import { sha256 } from '../../protocol/digest.js';
import { canonicalJson, isObject } from '../../protocol/json.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import type { Principal } from '../../protocol/principal.js';
import { repeated } from '../../protocol/protocol.js';
import {
  type Answer,
  type Journal,
  journalOf,
  memoryOf,
  noMemory,
  type RoundTripState,
  withAnswers,
} from './round-trip-state.js';
import type { RequestStateCodec } from './request-state-codec.js';
import type { StateStore, StateUse } from '../../backend/backend.js';

/** The request that a `requestState` belongs to. */
export interface RoundTripRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  /** The key that identifies the client for quotas. */
  readonly quotaKey: string | object | undefined;
}

/** The contents of a `requestState` that a client has sent back, with the client's answers. */
export interface OpenedRound {
  readonly memory: RoundTripState;
  /**
   * Called shortly before the handler runs. Marks the state as used, so that it is not accepted again. Absent if the
   * request has no state, or if there is no state store.
   *
   * @throws ProtocolError (-32602) if the state was used before, or is too old for the store to know whether it was
   *   used.
   * @throws OverloadedError if the state store fails.
   */
  readonly use?: () => Promise<void>;
}

/** Limits on the lifetime and the length of states. */
interface RoundLimits {
  /** Time that the client has for one round, in milliseconds. */
  readonly ttlMs: number;
  /** Maximum length of a state, in characters. */
  readonly maxLength: number;
}

/** The purpose under which states are sealed. */
const PURPOSE = 'request state';

/**
 * Maximum difference between the clocks of processes. A process whose clock is behind accepts a state for longer than
 * the process that marked the state as used.
 */
const CLOCK_SKEW_MS = 5 * 60_000;

interface Payload extends Journal {
  /** The id of this state; present if states are accepted only once. */
  readonly id?: string;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly sealedAt: number;
  readonly expires: number;
  readonly principal: string | null;
}

/**
 * Keeps the record of a handler's runs in the `requestState`, which the client sends back when it repeats the request
 * (2026-07-28, basic/patterns/mrtr).
 */
export class RoundTripStates {
  constructor(
    private readonly codec: RequestStateCodec,
    private readonly limits: RoundLimits,
    /** Remembers which states were used. Without a store, a state is accepted until it expires. */
    private readonly store?: StateStore,
  ) {}

  /**
   * Reads the `requestState` of a request, and adds the client's answers to the record in it. This method does not mark
   * the state as used, so that a client can retry a refused request with the same state.
   *
   * @throws ProtocolError (-32602) when the state was not sealed by this app, has expired, or belongs to another
   *   request or principal.
   */
  async open(request: RoundTripRequest): Promise<OpenedRound> {
    const { requestState, inputResponses } = request.params;
    const given =
      inputResponses === undefined ? new Map<string, Answer>() : readInputResponses(inputResponses);
    // Without a state there was no question, and an answer to no question is no consent.
    if (requestState === undefined) return { memory: noMemory() };
    if (typeof requestState !== 'string') throw invalidParams('"requestState" must be a string');
    // Text that is longer than any state of this server is not read.
    const isOurs = requestState.length <= this.limits.maxLength;
    const payload = isOurs && ((await this.codec.open(PURPOSE, requestState)) as Payload | undefined);
    if (!payload) throw refused('it is not a request state of this server');
    if (payload.expires <= Date.now()) throw refused('it has expired');
    if (payload.principal !== (request.principal?.id ?? null))
      throw refused('it belongs to another principal');
    if (payload.digest !== (await requestDigest(request.method, request.params))) {
      throw refused('it belongs to another request');
    }
    const memory = memoryOf(withAnswers(payload, given));
    const { store } = this;
    return store ? { memory, use: () => this.#use(store, payload, request.quotaKey) } : { memory };
  }

  /**
   * Returns the `requestState` for the client: the encrypted record of the handler's runs.
   *
   * @throws ProtocolError (-32603) when the state is longer than `limits.maxLength`.
   */
  async close({ method, params, principal }: RoundTripRequest, memory: RoundTripState): Promise<string> {
    const now = Date.now();
    const payload: Payload = {
      ...(this.store ? { id: crypto.randomUUID() } : {}),
      digest: await requestDigest(method, params),
      sealedAt: now,
      expires: now + this.limits.ttlMs,
      principal: principal?.id ?? null,
      ...journalOf(memory),
    };
    const state = await this.codec.seal(PURPOSE, payload);
    if (state.length <= this.limits.maxLength) return state;
    const message = `The "requestState" for the client would be longer than ${this.limits.maxLength} characters`;
    throw new ProtocolError(ERROR_CODES.internalError, message);
  }

  async #use(
    store: StateStore,
    { id, sealedAt, expires }: Payload,
    quotaKey: RoundTripRequest['quotaKey'],
  ): Promise<void> {
    // Sealed by a process that accepts states more than once.
    if (id === undefined) throw refused('it has no id');
    // A connection has no name that another process, or a later one, could know.
    const client = typeof quotaKey === 'string' ? quotaKey : undefined;
    const now = Date.now();
    const forMs = expires - now + CLOCK_SKEW_MS;
    const ageMs = Math.max(0, now - sealedAt);
    const use = await ask(() => store.use(id, forMs, client, 'states', ageMs));
    if (use === 'forgotten')
      throw refused('it is so old that this server no longer knows whether it was used before');
    if (use !== 'first') throw refused('it has been used already');
  }
}

/** Marks a state as used. If the store fails, the client may retry with the same state. */
async function ask(use: () => MaybePromise<StateUse>): Promise<StateUse> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof OverloadedError) throw error;
    throw new OverloadedError('"requestState" cannot be checked now; try again later', { cause: error });
  }
}

function refused(why: string): ProtocolError {
  return invalidParams(`"requestState" is refused: ${why}`, { reason: 'invalid_request_state' });
}

/**
 * Returns the client's answers, by the key of each question.
 *
 * @param responses the member `inputResponses` of the parameters of a request.
 * @throws ProtocolError (-32602) if the answers are invalid.
 * @example
 * ```ts
 * const answers = readInputResponses(params['inputResponses']);
 * const consent = answers.get('consent');
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function readInputResponses(responses: unknown): Map<string, Answer> {
  if (!isObject(responses)) throw invalidParams('"inputResponses" must be an object');
  const entries = Object.entries(responses).map(([key, response]) => {
    if (!isObject(response)) throw invalidParams(`The response to "${repeated(key)}" must be an object`);
    return [key, response] as const;
  });
  return new Map(entries);
}

/** The parameters that change between rounds, and do not identify the request. */
const OF_THE_ROUND: readonly string[] = ['_meta', 'inputResponses', 'requestState'];

/** Identifies a request by its method and parameters, so that the state of one request cannot be used for another. */
function requestDigest(method: string, params: Readonly<Record<string, unknown>>): Promise<string> {
  const salient = Object.fromEntries(Object.entries(params).filter(([key]) => !OF_THE_ROUND.includes(key)));
  return sha256(canonicalJson([method, salient]));
}

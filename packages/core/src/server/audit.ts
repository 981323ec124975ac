import type { RefusedBy } from '../context/call.js';
import type {
  CallEvent,
  CallInfo,
  CallOutcome,
  Observer,
  TaskAbortedBy,
  TaskAbortEvent,
} from '../engine/observers.js';
import { ERROR_CODES, OverloadedError } from '../errors/errors.js';
import { toBase64Url } from '../protocol/base64.js';
import { bytesOf, canonicalJson, toJson, withoutUndefined } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import { METHODS } from '../protocol/protocol.js';
import { within } from '../transport/deadlines.js';
import { LogThrottle } from '../transport/log-throttle.js';
import type { RefusalEvent } from '../transport/transport.js';

/** The audit record of one request. Plain JSON; members without a value are left out. */
export interface AuditRecord {
  /** When the record was created, in ISO 8601 format. */
  readonly time: string;
  /**
   * - `call.started`: the handler is about to run; recorded only if the audit is `required`
   * - `call.ended`: the call was answered or refused
   * - `request.refused`: the transport refused a request before reading its message
   * - `task.failed`: a task failed for a reason outside its tool, for example because its process died several times;
   *   see `failedBy`
   */
  readonly event: 'call.started' | 'call.ended' | 'request.refused' | 'task.failed';
  /**
   * The access decision. It is `undecided` if the request failed before the decision, for example because a limit was
   * reached or a store was unavailable. An allowed call runs, unless its arguments are wrong.
   */
  readonly decision: 'allowed' | 'denied' | 'undecided';
  /** The check that refused the request. */
  readonly refusedBy?: RefusedBy | RefusalEvent['by'];
  /** The reason why a task failed, if the reason lies outside its tool. */
  readonly failedBy?: TaskAbortedBy;
  /** The id of the call. Log lines of the call contain the same id. */
  readonly id?: string;
  readonly traceId?: string;
  /** The id of the trace span of the call; without telemetry, the id of the span that the client sent. */
  readonly spanId?: string;
  readonly requestId?: string | number;
  readonly taskId?: string;
  readonly method?: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name?: string;
  readonly principal?: string;
  readonly client?: string;
  readonly protocolVersion?: string;
  readonly transport?: string;
  readonly address?: string;
  /** The arguments, as returned by the function in `AuditOptions.arguments`. */
  readonly arguments?: unknown;
  /** SHA-256 of the arguments as canonical JSON, in base64url. */
  readonly argumentsHash?: string;
  /** How the call ended; `failed` for a task that failed for a reason outside its tool. */
  readonly outcome?: CallOutcome | 'failed';
  /** The code of the JSON-RPC error, if the call was answered with one. */
  readonly code?: number;
  readonly ms?: number;
  readonly bytes?: number;
  /** Why the transport refused the request. `httpMethod` and `path` describe that HTTP request. */
  readonly reason?: string;
  readonly httpMethod?: string;
  readonly path?: string;
  /** The position of the record in its chain; absent if the option `chain` is off. */
  readonly chain?: AuditLink;
}

/** The position of an audit record in its chain. In a chain, each record contains the hash of the record before it. */
export interface AuditLink {
  /** The id of the chain. A process begins a new chain when it starts. */
  readonly id: string;
  /** The sequence number of the record in the chain, from 1. */
  readonly seq: number;
  /** The hash of the previous record; empty for the first record of a chain. */
  readonly previous: string;
  /**
   * The hash of the record, in base64url: SHA-256, or HMAC-SHA-256 if the chain has a key. It is computed from the
   * canonical JSON of the record without this member.
   */
  readonly hash: string;
}

/**
 * Stores audit records: a function that receives each record, or an object with a method `write`. A record counts as
 * stored once the function returns, or once its promise resolves. An object is closed when the app closes.
 */
export type AuditSink = ((record: AuditRecord) => MaybePromise<void>) | AuditStore;

/** Stores audit records. The store is closed when the app closes. */
export interface AuditStore {
  /** Stores a record. The record is stored once the method returns, or once its promise resolves. */
  write(record: AuditRecord): MaybePromise<void>;
  /** Closes the store. Called when the app closes, after the last record. */
  close?(): MaybePromise<void>;
}

/** Options of the audit. */
export interface AuditOptions {
  readonly sink: AuditSink;
  /**
   * Whether a `call.started` record is stored before the handler of each call starts. If the record cannot be stored,
   * the call is refused (over HTTP, with status 503).
   * @default false
   */
  readonly required?: boolean;
  /**
   * How arguments are recorded: their SHA-256 (`hash`), not at all (`none`), or as the JSON that your function returns.
   * @default 'hash'
   */
  readonly arguments?: 'hash' | 'none' | ((args: unknown, call: CallInfo) => unknown);
  /**
   * Whether each record contains the hash of the record before it, so that `sigil audit verify` finds changed and
   * removed records. With `key`, only processes that know the key can create records with correct hashes.
   * @default false
   */
  readonly chain?: boolean | { readonly key: string };
  /**
   * A function that returns whether a call is recorded. Refusals by the transport are always recorded.
   * @default requests about tasks, subscriptions to resources, and calls of tools, prompts, resources and completions
   */
  readonly includes?: (call: CallInfo) => boolean;
}

const RECORDED: ReadonlySet<string> = new Set([
  METHODS.callTool,
  METHODS.getPrompt,
  METHODS.readResource,
  METHODS.complete,
  METHODS.subscribe,
  METHODS.listen,
  'tasks/cancel',
  'tasks/update',
]);

/** If one of these checks refuses a request, the request failed before the access decision. */
const UNDECIDED: ReadonlySet<string> = new Set([
  'quota',
  'unavailable',
  'audit',
  'message',
  'headers',
  'method',
]);

function decisionOf(refusedBy: string | undefined): AuditRecord['decision'] {
  if (refusedBy === undefined) return 'allowed';
  return UNDECIDED.has(refusedBy) ? 'undecided' : 'denied';
}

/**
 * Maximum number of records that wait for a slow sink, and maximum bytes of the arguments in these records.
 */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** How long closing waits for pending records, in milliseconds. */
const CLOSE_MS = 5_000;

/** The members of a record, before its time and its position in the chain are added. */
type Said = { readonly [K in Exclude<keyof AuditRecord, 'time' | 'chain'>]?: AuditRecord[K] | undefined };

/**
 * Writes the audit records of an app. A record copies its values from the call immediately, so that a waiting
 * record does not hold the call's arguments and answer in memory.
 */
export class AuditTrail {
  readonly #write: (record: AuditRecord) => MaybePromise<void>;
  readonly #chain: Chain | undefined;
  readonly #waiting = new Set<Promise<void>>();
  readonly #told = new LogThrottle();
  #waitingBytes = 0;

  constructor(
    private readonly options: AuditOptions,
    private readonly logger: Logger,
  ) {
    const { sink, chain = false } = options;
    this.#write = typeof sink === 'function' ? sink : (record) => sink.write(record);
    if (chain) this.#chain = new Chain(chain === true ? undefined : chain.key);
  }

  /** The observer that records how calls end. */
  get observer(): Observer {
    const ended = (event: CallEvent): void => {
      if (this.#includes(event)) this.#note(event, endOf(event));
    };
    return {
      callStarted: () => ({ ended }),
      callRefused: ended,
      taskAborted: (event) => {
        // A run that another one continues has no final record; its handler has a record of its own.
        if (event.hasFailed && this.#includes(event)) this.#note(event, failureOf(event));
      },
      refused: ({ by, principal, status: _status, ...about }) =>
        this.#note(undefined, {
          ...about,
          event: 'request.refused',
          decision: decisionOf(by),
          refusedBy: by,
          principal: principal?.id,
        }),
    };
  }

  /** A function that records the start of a call; `undefined` if the option `required` is off. */
  get starts(): ((call: CallInfo) => Promise<void>) | undefined {
    if (this.options.required !== true) return undefined;
    return async (call) => {
      try {
        if (!this.#includes(call)) return;
        if (this.#isFull) throw new Error(`${MOST_WAITING} records wait for the sink`);
        await this.#keep(
          { event: 'call.started', decision: 'allowed', ...aboutOf(call) },
          this.#argumentsOf(call),
        );
      } catch (error) {
        throw new OverloadedError('The audit record cannot be written now; try again later', {
          cause: error,
        });
      }
    };
  }

  /** Waits at most five seconds until the pending records are stored. */
  async written(): Promise<void> {
    await within(CLOSE_MS, Promise.allSettled([...this.#waiting]));
  }

  /** Waits at most five seconds until the pending records are stored. Then closes the sink. */
  async close(): Promise<void> {
    await this.written();
    const { sink } = this.options;
    if (typeof sink === 'object') await sink.close?.();
  }

  get #isFull(): boolean {
    return this.#waiting.size >= MOST_WAITING || this.#waitingBytes >= MOST_WAITING_BYTES;
  }

  #includes(call: CallInfo): boolean {
    const { includes } = this.options;
    return includes ? includes(call) : RECORDED.has(call.method);
  }

  async #argumentsOf(call: CallInfo): Promise<Pick<AuditRecord, 'arguments' | 'argumentsHash'>> {
    const { arguments: shown = 'hash' } = this.options;
    const args = call.params['arguments'] ?? call.params['notifications'];
    if (args === undefined || shown === 'none') return {};
    if (shown === 'hash') return { argumentsHash: await digest(undefined, canonicalJson(args)) };
    // A copy, because the handler gets the same arguments.
    return { arguments: toJson(shown(toJson(args), call)) };
  }

  /** Stores a record that no call waits for. A failure is logged. */
  #note(call: CallInfo | undefined, said: Said): void {
    if (this.#isFull) {
      const message = 'audit records are dropped: the sink is too slow';
      if (this.#told.allows(message)) this.logger.error({ waiting: this.#waiting.size }, message);
      return;
    }
    const args = call ? this.#argumentsOf(call) : Promise.resolve({});
    const kept = this.#keep(said, args).catch((error: unknown) =>
      this.logger.error({ err: error, id: said.id }, 'an audit record could not be kept'),
    );
    this.#waiting.add(kept);
    void kept.finally(() => this.#waiting.delete(kept));
  }

  async #keep(said: Said, args: Promise<Pick<AuditRecord, 'arguments' | 'argumentsHash'>>): Promise<void> {
    const time = new Date().toISOString();
    const shown = await args;
    const bytes = shown.arguments === undefined ? 0 : bytesOf(shown.arguments);
    this.#waitingBytes += bytes;
    try {
      const record = withoutUndefined({ time, ...said, ...shown }) as AuditRecord;
      if (this.#chain) await this.#chain.append(record, this.#write);
      else await this.#write(record);
    } finally {
      this.#waitingBytes -= bytes;
    }
  }
}

function endOf(event: CallEvent): Said {
  const { outcome, refusedBy, error, ms, bytes } = event;
  return {
    event: 'call.ended',
    decision: decisionOf(refusedBy),
    refusedBy,
    ...aboutOf(event),
    outcome,
    code: error?.code,
    ms: Math.round(ms * 10) / 10,
    bytes,
  };
}

function failureOf(event: TaskAbortEvent): Said {
  const about = { ...aboutOf(event), outcome: 'failed' as const, code: ERROR_CODES.internalError };
  return { event: 'task.failed', decision: 'allowed', failedBy: event.abortedBy, ...about };
}

function aboutOf(call: CallInfo): Said {
  const { id, trace, requestId, task, method, name, principal, client, protocolVersion, transport } = call;
  return {
    id,
    traceId: trace?.traceId,
    spanId: trace?.spanId,
    requestId,
    taskId: task?.id,
    method,
    name,
    principal: principal?.id,
    client,
    protocolVersion,
    transport,
    address: call.address,
  };
}

/** Links records to a chain. A record is linked only after the sink has stored the previous one. */
class Chain {
  #id: string = crypto.randomUUID();
  #seq = 0;
  #previous = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly key: string | undefined) {}

  append(record: AuditRecord, write: (linked: AuditRecord) => MaybePromise<void>): Promise<void> {
    const appended = this.#last.then(async () => {
      const link = { id: this.#id, seq: this.#seq + 1, previous: this.#previous };
      const hash = await hashOf({ ...record, chain: link }, this.key);
      await write({ ...record, chain: { ...link, hash } });
      this.#seq = link.seq;
      this.#previous = hash;
    });
    this.#last = appended.catch(() => this.#begin());
    return appended;
  }

  /** Begins a new chain after a failure, because the failed record may have been stored all the same. */
  #begin(): void {
    this.#id = crypto.randomUUID();
    this.#seq = 0;
    this.#previous = '';
  }
}

/**
 * Computes the hash that a record of a chain must have. If `record.chain.hash` differs, the record was changed, or the
 * key is wrong.
 *
 * @param record the record; its own hash is ignored.
 * @param key the key of the chain, if it has one.
 * @example
 * ```ts
 * const isRight = record.chain.hash === (await auditHash(record, key));
 * ```
 */
export function auditHash(record: AuditRecord, key?: string): Promise<string> {
  const { hash: _hash, ...link } = record.chain ?? { hash: '' };
  return hashOf({ ...record, chain: link }, key);
}

function hashOf(record: object, key: string | undefined): Promise<string> {
  return digest(key, canonicalJson(record));
}

/** Returns the SHA-256 of a text, or its HMAC-SHA-256 if there is a key, in base64url. */
async function digest(key: string | undefined, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  if (key === undefined) return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new TextEncoder().encode(key), algorithm, false, [
    'sign',
  ]);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign(algorithm, imported, bytes)));
}

import type { ClientView, RoundOptions } from '../../context/call.js';
import { InputResponseError, ERROR_CODES, ProtocolError } from '../../errors/errors.js';
import { METHODS, NOTIFICATIONS, type RequestId } from '../../protocol/protocol.js';
import { within } from '../../transport/deadlines.js';
import type { ConnectionState, Session } from '../connection-state.js';
import type { ClientRequestObservation, Observation } from '../observers.js';
import type { Revision } from '../revisions/index.js';
import type { Answer, InputRequest, InputRequests, Journal } from './round-trip-state.js';
import type { RoundTrips } from './round-trips.js';

/** A request or notification from the server, as the specification defines it. */
export interface ServerMessage {
  readonly method: string;
  readonly id?: RequestId;
  readonly params?: object | undefined;
}

/** The members of a call that are needed to ask the client questions. */
export interface RequesterContext {
  readonly method: string;
  readonly revision: Revision;
  readonly client: ClientView;
  readonly signal: AbortSignal;
  readonly connectionState: ConnectionState;
  readonly rounds: RoundTrips;
  /** The scopes that the principal must have when the client answers a question of the call. */
  readonly neededScopes: readonly string[] | undefined;
  /** Whether the client has received the response. If so, no more questions can be asked. */
  readonly isOver: boolean;
  /** How questions reach the client. */
  readonly delivery: Delivery;
  /** The observation of the call. It also records each question to the client. */
  readonly observation: Pick<Observation, 'clientRequest'> | undefined;
  /** Sends a notification, or a request with an id, on the stream of the call. */
  send(message: ServerMessage): void;
  /** Runs a function that waits for the client. The wait does not count towards the time limit of the handler. */
  waiting<T>(wait: () => Promise<T>): Promise<T>;
}

/** Options for the delivery of one question. */
export interface DeliveryOptions extends RoundOptions {
  /** A signal that withdraws the question when it aborts. If absent, the signal of the request is used. */
  readonly signal?: AbortSignal;
}

/** Delivers questions to the client: as separate requests, inside results, or through a task. */
export interface Delivery {
  /** Delivers one question. The handler waits for the answer. */
  ask(
    asking: RequesterContext,
    key: string,
    request: InputRequest,
    options?: DeliveryOptions,
  ): Promise<Answer>;
  /**
   * Delivers all questions of an `inputRequired()` result together. If absent, `ask` is called for each of these
   * questions.
   */
  askAll?(asking: RequesterContext, requests: InputRequests): Promise<never>;
}

/**
 * Delivers the questions and the result of a handler that runs in the background. No request waits for the result.
 * Extensions implement this interface.
 */
export interface BackgroundDelivery {
  /** The id of the task. The log contains the same id. */
  readonly taskId: string;
  /**
   * The number of this run of the handler: 1 for the first run, and 1 more after each lost run. When a run makes
   * progress, for example by storing a result of `ctx.once()`, the number becomes 1 again. A run is lost if its process
   * dies, or does not renew the lease of the task in time.
   */
  readonly attempt: number;
  /**
   * Called when the handler asks a question that has no answer yet. The run ends soon afterwards, and then `suspend` is
   * called.
   *
   * @param timeoutMs how long the client can take to answer, in milliseconds; `undefined` if the handler has set no
   *   limit.
   * @throws InputResponseError if an earlier run has asked the question, and the client has not answered within the
   *   time limit.
   */
  asking(key: string, timeoutMs: number | undefined): void;
  /**
   * Called when a run ends without a result, because the handler needs answers or must not begin a side effect. The
   * handler runs again later.
   *
   * @param questions an object with the questions that have no answer yet, under the keys that the handler chose; may
   *   be empty.
   * @param journal the record of the handler's runs: answers, and results of side effects.
   */
  suspend(questions: InputRequests, journal: Journal): void;
  /**
   * Called before each new side effect of `ctx.once()`. Returns whether the side effect is allowed to begin. If not,
   * the run ends, and `suspend` is called.
   */
  mayBegin(): boolean;
  /**
   * Called after each new side effect of `ctx.once()`. Stores the record of the handler's runs, so that later runs do
   * not repeat the side effect.
   *
   * @throws Error when the record cannot be stored; the handler gets the error.
   */
  keep(journal: Journal): Promise<void>;
  /** Reports the handler's progress, as a text for the user. */
  report(message: string): void;
  /** Receives the result of the handler, in the form of a response's `result`. */
  succeed(result: Readonly<Record<string, unknown>>): void;
  /** Receives the error that ended the handler. */
  fail(error: ProtocolError): void;
}

/**
 * Delivers questions inside results. The client answers when it repeats the request (2026-07-28,
 * basic/patterns/mrtr).
 */
export const deliverByRoundTrip: Delivery = {
  async ask(asking, key, request) {
    if (asking.revision.rounds.has(asking.method)) return asking.rounds.leave({ [key]: request });
    const message = `${asking.method} cannot ask the client a question; only tools, prompts and resources can`;
    throw new ProtocolError(ERROR_CODES.internalError, message);
  },
  askAll: (asking, requests) => asking.rounds.leave(requests),
};

/**
 * Delivers questions as JSON-RPC requests to the client, on the stream of the handler's own request (revision
 * 2025-11-25 or earlier).
 */
export const deliverByRequest: Delivery = {
  async ask(asking, _key, request, options = {}) {
    const { session } = asking.connectionState;
    if (request.method === METHODS.listRoots && session?.roots) return { roots: session.roots };
    const { unaskable } = asking.connectionState;
    if (session?.ready === false && unaskable === undefined)
      await untilReady(session, options.signal ?? asking.signal, options.timeoutMs);
    return isPage(request) ? sendToPage(asking, request, options) : send(asking, request, options);
  },
};

/**
 * Returns the delivery for a handler that runs in the background. The questions of the handler go to `background`. Each
 * question ends the run of the handler.
 */
export function deliverInBackground(background: BackgroundDelivery): Delivery {
  return {
    async ask(asking, key, request, { timeoutMs } = {}) {
      background.asking(key, timeoutMs);
      return asking.rounds.leave({ [key]: request });
    },
    askAll: (asking, requests) => asking.rounds.leave(requests),
  };
}

/**
 * Asks several questions concurrently.
 *
 * @param signal ends the wait when it aborts.
 * @param ask a function that asks one question. It receives a signal, which also aborts when another question has
 *   failed.
 * @returns an object with the answers, under the keys of their questions.
 * @throws the error of the first question that failed.
 */
export async function together<Q, A>(
  questions: Readonly<Record<string, Q>>,
  signal: AbortSignal,
  ask: (key: string, question: Q, signal: AbortSignal) => Promise<A>,
): Promise<Record<string, A>> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    const asked = Object.entries(questions).map(
      async ([key, question]) => [key, await ask(key, question, either)] as const,
    );
    return Object.fromEntries(await Promise.all(asked));
  } catch (error) {
    failed.abort(
      new InputResponseError('gone', 'A question that was asked together with this question has failed'),
    );
    throw error;
  }
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 60 * 60_000;

/** Time for a client to report that it is ready, in milliseconds. It should do so right after its session is open. */
const READY_MS = 10_000;

/**
 * Waits until the client has reported that it is ready. The server must not ask it before (2025-11-25,
 * basic/lifecycle, "Initialization").
 *
 * @param timeoutMs maximum wait, in milliseconds.
 * @throws InputResponseError if the client does not report in time.
 */
async function untilReady(session: Session, signal: AbortSignal, timeoutMs = READY_MS): Promise<void> {
  const ms = Math.min(READY_MS, timeoutMs);
  let stop = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    stop = session.onReady(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await within(ms, ready);
  } finally {
    stop();
  }
  // A cancelled request fails its questions when they are sent.
  if (session.ready || signal.aborted) return;
  const message = `The client did not send ${NOTIFICATIONS.initialized} within ${ms} ms, so the server cannot ask it a question`;
  throw new InputResponseError('late', message);
}

/** Sends a request to the client and waits for its answer. */
export async function send(
  asking: RequesterContext,
  { method, params }: InputRequest,
  options: DeliveryOptions = {},
): Promise<Answer> {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxTimeoutMs = Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs),
    signal = asking.signal,
  } = options;
  const { unaskable } = asking.connectionState;
  if (unaskable !== undefined) throw new InputResponseError('gone', unaskable);
  let watch: ClientRequestObservation | undefined;
  const asked = asking.connectionState.pending.ask({
    send: (id) => {
      watch = asking.observation?.clientRequest(id, method);
      // Users and models may take long: progress extends the time limit.
      const awaited = params && { ...params, _meta: { ...watch?.meta, progressToken: id } };
      asking.send({ id, method, params: awaited ?? (watch?.meta && { _meta: watch.meta }) });
    },
    withdraw: (requestId, reason) =>
      asking.send({ method: NOTIFICATIONS.cancelled, params: { requestId, reason } }),
    scopes: asking.neededScopes,
    timeoutMs,
    maxTimeoutMs,
    signal,
  });
  try {
    const answer = asking.connectionState.read(method, await asked);
    watch?.ended(undefined);
    return answer;
  } catch (error) {
    watch?.ended(error);
    throw error;
  }
}

/**
 * Asks the user to open a page. The page gets an id. The server uses the id later to report that the page is complete.
 */
async function sendToPage(
  asking: RequesterContext,
  request: InputRequest,
  options: DeliveryOptions,
): Promise<Answer> {
  const elicitationId = crypto.randomUUID();
  const params = { ...request.params, elicitationId };
  const answer = await send(asking, { ...request, params }, options);
  // A page that was not opened is never completed.
  if (answer['action'] === 'accept') asking.connectionState.addElicitation(elicitationId);
  return { ...answer, elicitationId };
}

function isPage({ method, params = {} }: InputRequest): boolean {
  return method === METHODS.elicit && 'mode' in params && params.mode === 'url';
}

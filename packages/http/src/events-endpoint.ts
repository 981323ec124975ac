import { isObject } from '@sigil/core/internal';
import {
  type Endpoint,
  type EndpointObserver,
  METHODS,
  type ShownCall,
  type ShownCallEnd,
} from '@sigil/core/transport';
import { EventStream, failSafely, refuseForNow } from './answers.js';
import type { Authentication } from './authentication/authentication.js';
import type { HttpExchange } from './http-exchange.js';
import { operatorsOnly, type ResolvedEvents } from './operators.js';
import type { ResolvedOptions } from './options.js';
import { type OriginCheck, refuseMethod, refusesCaller } from './requests.js';
import { isWorker } from './workers.js';

/** Maximum number of connected watchers. */
const MOST_WATCHERS = 4;
/** Maximum number of running calls that are listed. The longest-running calls are listed. */
const MOST_NAMED = 20;
/** Maximum number of results with open questions that are remembered. */
const MOST_ROUNDS = 100;
/**
 * Milliseconds between updates of the state of the process to watchers. An update is sent only if the state has
 * changed.
 */
const STATE_MS = 1_000;

/** A question to a client. */
interface Question {
  readonly id: string;
  readonly call: ShownCall;
  /** The method of the request that asks the client. */
  readonly asks: string;
  readonly askedAt: number;
}

/**
 * Streams the events of this process to the people who run the server. Events are about finished calls, refused
 * requests, requests to clients, tasks, and open sessions and streams. They contain neither the arguments and results
 * of calls, nor the content of requests to clients or of the clients' answers. Events are created only while a client
 * of this stream is connected.
 */
export class EventsEndpoint {
  readonly #operators: Authentication;
  readonly #streams = new Set<EventStream>();
  /** Calls that have begun since the first watcher came, oldest first, each with its start time. */
  readonly #running = new Map<ShownCall, Date>();
  /** Questions that clients answer by repeating the request, by the request state that they then send. */
  readonly #rounds = new Map<unknown, readonly Question[]>();
  #stop: (() => void) | undefined;
  #lastState = '';
  #isClosing = false;

  /** @param sessions a function that returns the number of open sessions. */
  constructor(
    { token }: ResolvedEvents,
    private readonly origins: OriginCheck,
    private readonly endpoint: Endpoint,
    private readonly options: ResolvedOptions,
    private readonly sessions: () => number,
  ) {
    this.#operators = operatorsOnly(token, options, endpoint);
  }

  /** Serves one HTTP request. */
  serve(http: HttpExchange): void {
    http.trustedProxies = this.options.trustedProxies;
    if (refusesCaller(http, this.origins, this.endpoint)) return;
    failSafely(http, this.endpoint.logger, () => this.#operators.admit(http, () => this.#watch(http)));
  }

  /** Ends every stream. Clients such as `sigil top` then reconnect, possibly to another process of the app. */
  close(): void {
    this.#isClosing = true;
    for (const stream of this.#streams) stream.end();
  }

  #watch(http: HttpExchange): void {
    if (http.method !== 'GET') return refuseMethod(http, 'GET');
    if (this.#isClosing) return refuseForNow(http, 'The server is closing');
    if (this.#streams.size >= MOST_WATCHERS)
      return refuseForNow(
        http,
        `${MOST_WATCHERS} clients already watch the events of this server, which is the maximum`,
      );
    if (http.gone) return;
    const stream = new EventStream(
      http,
      { keepAliveMs: this.options.keepAliveMs, watch: undefined, open: new Set() },
      { ended: () => this.#left(stream) },
    );
    this.#streams.add(stream);
    this.#stop ??= this.#begin();
    stream.announce('state', this.#state());
  }

  #begin(): (() => void) | undefined {
    this.#lastState = this.#state();
    const unwatch = this.endpoint.observe?.(this.#observer);
    const timer = setInterval(() => {
      const state = this.#state();
      if (state !== this.#lastState) this.#tell('state', state);
      this.#lastState = state;
    }, STATE_MS).unref();
    return () => {
      clearInterval(timer);
      unwatch?.();
      this.#running.clear();
      this.#rounds.clear();
    };
  }

  #left(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #observer: EndpointObserver = {
    callStarted: (call) => {
      this.#running.set(call, new Date());
      this.#closeRound(call.params['requestState'], 'answered');
      return {
        clientRequest: ({ id, method }) => this.#asked(call, `${call.id}/${id}`, method),
        ended: (end) => {
          this.#running.delete(call);
          this.#ended(end);
          if (end.outcome === 'asked') this.#openRound(end);
        },
      };
    },
    callRefused: (end) => this.#ended(end),
    refused: (event) => this.#tell('refused', JSON.stringify({ time: new Date(), ...event })),
    taskChanged: (event) => this.#tell('task', JSON.stringify({ time: new Date(), ...event })),
  };

  #asked(call: ShownCall, id: string, asks: string): { ended(error: unknown): void } {
    const question = { id, call, asks, askedAt: performance.now() };
    // A ping is not a question.
    if (asks === METHODS.ping) return { ended: () => undefined };
    this.#question(question, 'open');
    return { ended: (error) => this.#question(question, error === undefined ? 'answered' : 'failed') };
  }

  /** Stores the questions in a result. */
  #openRound(end: ShownCallEnd): void {
    const { inputRequests, requestState } = end.result() ?? {};
    if (!isObject(inputRequests)) return;
    const questions = Object.entries(inputRequests).map(([key, request]): Question => {
      const asks = isObject(request) ? String(request['method']) : '';
      return { id: `${end.id}/${key}`, call: end, asks, askedAt: performance.now() };
    });
    this.#rounds.set(requestState, questions);
    for (const question of questions) this.#question(question, 'open');
    const [oldest] = this.#rounds.keys();
    if (this.#rounds.size > MOST_ROUNDS) this.#closeRound(oldest, 'failed');
  }

  #closeRound(requestState: unknown, status: 'answered' | 'failed'): void {
    const questions = this.#rounds.get(requestState) ?? [];
    this.#rounds.delete(requestState);
    for (const question of questions) this.#question(question, status);
  }

  #question({ id, call, asks, askedAt }: Question, status: 'open' | 'answered' | 'failed'): void {
    const ms = Math.round(performance.now() - askedAt);
    const { client, address } = call;
    const details = { id, callId: call.id, asks, status, ms, client, address };
    this.#tell('question', JSON.stringify({ time: new Date(), ...shown(call), ...details }));
  }

  #ended(end: ShownCallEnd): void {
    const { outcome, refusedBy, ms, bytes, error } = end;
    const details = { outcome, refusedBy, code: error?.code, ms: Math.round(ms * 10) / 10, bytes };
    const { client, protocolVersion, transport, address } = end;
    const caller = { client, protocolVersion, transport, address };
    this.#tell('call', JSON.stringify({ time: new Date(), ...shown(end), ...details, ...caller }));
  }

  #tell(event: string, data: string): void {
    for (const stream of this.#streams) stream.announce(event, data);
  }

  #state(): string {
    const running = [...this.#running.keys()];
    const tasks = running.filter(({ task }) => task).length;
    return JSON.stringify({
      pid: process.pid,
      startedAt: STARTED_AT,
      isWorker: isWorker(),
      sessions: this.sessions(),
      calls: running.length - tasks,
      tasks,
      running: running
        .slice(0, MOST_NAMED)
        .map((call) => ({ since: this.#running.get(call), ...shown(call) })),
    });
  }
}

const STARTED_AT = new Date(Date.now() - process.uptime() * 1_000);

function shown({ id, method, name, task, principal }: ShownCall): Readonly<Record<string, unknown>> {
  return { id, method, name, taskId: task?.id, principal: principal?.id };
}

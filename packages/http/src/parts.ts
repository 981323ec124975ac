import { type EventStore, MemoryEventStore, type SessionStore } from '@sigil/core/backend';
import { Quota } from '@sigil/core/extension';
import { Deadlines, LogThrottle } from '@sigil/core/internal';
import type { Endpoint } from '@sigil/core/transport';
import { aboutRequest, logRefusal, OverloadRefusal, type StreamRules } from './answers.js';
import { Authentication, decideBy } from './authentication/authentication.js';
import {
  type Authorizer,
  type Refusal,
  type RequestHead,
  scopeChallenge,
} from './authentication/authorization.js';
import type { BodyLimits, HttpExchange } from './http-exchange.js';
import type { ResolvedOptions } from './options.js';
import { OutputBudget } from './output-budget.js';
import { SharedStreams } from './sessions/node-messages.js';

/** The objects that the HTTP handlers of one endpoint share. */
export interface HandlerParts {
  readonly endpoint: Endpoint;
  readonly options: ResolvedOptions;
  /** Authenticates requests; `undefined` if every client is served. */
  readonly authentication: Authentication | undefined;
  /**
   * Called when the principal of a request lacks scopes: receives all scopes that the request needs, logs them, and
   * returns the refusal.
   */
  readonly insufficientScope: (http: HttpExchange, scopes: readonly string[]) => Refusal;
  /**
   * Receives a path, and returns the public document at this path; `undefined` if there is none. Clients can read the
   * documents without authentication.
   */
  readonly document: Authorizer['document'];
  /** The URL that access tokens must be issued for; `undefined` without `authorization`. */
  readonly resource: string | undefined;
  readonly overload: OverloadRefusal;
  readonly bodies: BodyLimits;
  readonly output: OutputBudget;
  readonly streams: StreamRules;
  /** Prevents streams from logging the same warning too often. */
  readonly streamsTold: LogThrottle;
  /**
   * The deadlines of requests of sessions. If a request is not answered at its deadline, its answer becomes a stream.
   */
  readonly longWaits: Deadlines;
  /** Store for the events of streams; `undefined` if they are not stored. */
  readonly eventStore: EventStore | undefined;
  /** Store of sessions; `undefined` if each session exists only in the process that opened it. */
  readonly sessionStore: SessionStore | undefined;
  /**
   * Exchanges messages about streams with other processes; `undefined` if clients cannot resume streams at other
   * processes.
   */
  readonly sharedStreams: SharedStreams | undefined;
}

export function partsOf(endpoint: Endpoint, options: ResolvedOptions): HandlerParts {
  const { authenticate, maxBodyBytes, maxTotalBodyBytes, keepAliveMs } = options;
  const { logger, backend } = endpoint;
  const authorizer = options.authorization?.({
    logger,
    states: backend.states,
    seal: (value) => backend.seal('authorization', value),
    unseal: (text) => backend.unseal('authorization', text),
  });
  const decide = authorizer
    ? (request: RequestHead, isOpen: boolean) => authorizer.authorize(request, isOpen)
    : authenticate && decideBy(authenticate);
  const authentication = decide && new Authentication(decide, options, endpoint);
  const overload = new OverloadRefusal(endpoint);
  const { sessionStore: sessions = backend.sessions, eventStore: events = backend.events } = options;
  const sessionStore =
    sessions && sessions !== backend.sessions ? backend.limited(sessions, 'sessions.store') : sessions;
  const eventStore = events && events !== backend.events ? backend.limited(events, 'streams.store') : events;
  if (options.sessionSealedMs !== undefined && !sessionStore)
    logger.warn(
      'sessions.sealedMs has no effect without a store: set the option backend of createApp, or sessions.store',
    );
  // Streams that are kept in this process cannot be resumed in another.
  const isShared = Boolean(sessionStore) && Boolean(eventStore);
  const challengeFor = (http: HttpExchange, scopes: readonly string[]): Refusal => {
    try {
      return authorizer?.insufficientScope(scopes, http.principal) ?? scopeChallenge(scopes);
    } catch (error) {
      logger.error(
        { err: error, ...aboutRequest(http) },
        'the option authorization failed to create the refusal of a request without the needed scopes',
      );
      return scopeChallenge(scopes);
    }
  };
  return {
    endpoint,
    options,
    authentication,
    insufficientScope(http, scopes) {
      const refusal = challengeFor(http, scopes);
      // Observers get the call itself.
      logRefusal(http, logger, refusal.status, { scopes: scopes.join(' ') });
      return refusal;
    },
    document: (path) => authorizer?.document(path),
    resource: authorizer?.resource,
    overload,
    bodies: {
      endpoint,
      maxBodyBytes,
      overload,
      times: new Deadlines(options.requestTimeoutMs),
      // One body may always have the maximum length of a body.
      budget: new Quota(maxTotalBodyBytes, Math.max(maxBodyBytes, Math.floor(maxTotalBodyBytes / 4))),
    },
    output: new OutputBudget(options, endpoint.logger, overload),
    streams: {
      open: new Set(),
      keepAliveMs,
      watch: authentication && ((http, refused, renewed) => authentication.watch(http, refused, renewed)),
    },
    streamsTold: new LogThrottle(),
    longWaits: new Deadlines(options.streamAfterMs),
    sessionStore: sessionStore || undefined,
    eventStore: eventStore === false ? undefined : (eventStore ?? new MemoryEventStore()),
    sharedStreams: isShared ? new SharedStreams(backend) : undefined,
  };
}

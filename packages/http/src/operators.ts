import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '@sigil/core';
import type { OptionChecks, OptionTable } from '@sigil/core/internal';
import type { Endpoint } from '@sigil/core/transport';
import { Authentication, decideBy } from './authentication/authentication.js';
import { bearerToken, tokenAuthenticator } from './authentication/bearer-tokens.js';
import type { HttpExchange } from './http-exchange.js';
import { isListenHost, loopbackNames } from './listening.js';
import type { EventsOptions, MetricsHandler, MetricsOptions, ResolvedOptions } from './options.js';
import { type OriginCheck, refuseMethod, refusesCaller } from './requests.js';
import { answerFailed } from './routes.js';

/** The option `metrics` with all defaults filled in. */
export interface ResolvedMetrics {
  readonly handler: MetricsHandler;
  readonly path: string;
  readonly token: string | undefined;
  /** The separate port of metrics; `undefined` if they are served on the port of the endpoint. */
  readonly port: number | undefined;
  readonly host: string;
  /** The accepted values of the `Host` header, if metrics have a separate port. */
  readonly allowedHosts: readonly string[] | '*';
}

/** The option `events` with all defaults filled in. */
export interface ResolvedEvents {
  readonly token: string;
  readonly path: string;
}

const METRICS: OptionTable<MetricsOptions> = {
  handler: true,
  path: true,
  token: true,
  port: true,
  host: true,
};
const EVENTS: OptionTable<EventsOptions> = { token: true, path: true };

/**
 * Fills in the defaults of `metrics`.
 *
 * @param server the host of the endpoint, and the number of workers.
 */
export function metricsOptions(
  given: unknown,
  server: { readonly host: string; readonly workers: number },
  checks: OptionChecks,
): ResolvedMetrics | undefined {
  if (given === undefined) return undefined;
  const options: Partial<MetricsOptions> = checks.group('metrics', given, METRICS);
  const { handler, path = '/metrics', token, port, host = '127.0.0.1' } = options;
  if (typeof handler !== 'function')
    checks.refuse('metrics.handler', 'it must be a request listener, as for createServer() of node:http');
  checkToken('metrics.token', token, checks);
  const { workers } = server;
  const last = 65_535 - (workers - 1);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= last))
    checks.refuse('metrics.port', `it must be an integer from 0 to ${last}, not ${String(port)}`);
  if (port === undefined && options.host !== undefined)
    checks.refuse(
      'metrics.host',
      'it needs a separate port for metrics',
      'also set metrics.port, or remove metrics.host',
    );
  if (port === undefined && workers > 1)
    checks.refuse(
      'metrics',
      'each worker has separate metrics, but a request on the shared port can reach any worker',
      'set metrics.port: the workers serve their metrics on this port and the following ones',
    );
  const listensAt = port === undefined ? server.host : host;
  // The host of the endpoint has been checked.
  const isHost =
    port === undefined ? typeof listensAt === 'string' : isListenHost('metrics.host', host, checks);
  const names = isHost ? loopbackNames(listensAt) : [];
  if (!names && token === undefined)
    checks.refuse(
      'metrics',
      `every client that reaches ${listensAt} could read the metrics`,
      'set metrics.token, which scrapers send as Authorization: Bearer …; or set metrics.port without metrics.host, so that only this machine can read the metrics',
    );
  // A handler that is not a function has been refused before.
  return handler && { handler, path, token, port, host, allowedHosts: names ?? '*' };
}

/** The environment variable with the token of `events`, if the program sets no token. */
const EVENTS_TOKEN = 'SIGIL_EVENTS_TOKEN';

/** Fills in the defaults of `events`. @returns `undefined` if events are not served. */
export function eventsOptions(given: unknown, checks: OptionChecks): ResolvedEvents | undefined {
  const options: Partial<EventsOptions> = checks.group('events', given, EVENTS);
  // A variable without a value counts as one that is not set.
  const { token = process.env[EVENTS_TOKEN] || undefined, path = '/events' } = options;
  const isVariable = options.token === undefined;
  checkToken(isVariable ? 'events' : 'events.token', token, checks, isVariable ? EVENTS_TOKEN : 'it');
  return token === undefined ? undefined : { token, path };
}

const LEAST_LENGTH = 32;

/**
 * Checks a token. The message leaves the token out, because a wrong token may be part of a right one.
 *
 * @param name the name of the token in messages.
 */
function checkToken(option: string, token: unknown, checks: OptionChecks, name = 'it'): void {
  if (token === undefined) return;
  if (typeof token !== 'string' || token.length < LEAST_LENGTH)
    checks.refuse(
      option,
      `${name} must be a string of at least ${LEAST_LENGTH} characters`,
      'create one with: openssl rand -hex 32',
    );
  else if (bearerToken({ authorization: `Bearer ${token}` }) !== token)
    checks.refuse(
      option,
      `${name} must be letters, digits and -._~+/ only`,
      'create one with: openssl rand -hex 32',
    );
}

/**
 * Creates an authentication that accepts only requests with `token`. Only the people who run the server have this
 * token.
 */
export function operatorsOnly(token: string, times: ResolvedOptions, endpoint: Endpoint): Authentication {
  return new Authentication(decideBy(tokenAuthenticator({ [token]: { id: 'operator' } })), times, endpoint);
}

/** Serves the metrics of a server, for example to Prometheus. */
export class MetricsEndpoint {
  readonly #operators: Authentication | undefined;

  constructor(
    private readonly metrics: ResolvedMetrics,
    private readonly origins: OriginCheck,
    private readonly endpoint: Endpoint,
    private readonly options: ResolvedOptions,
  ) {
    const { token } = metrics;
    this.#operators = token === undefined ? undefined : operatorsOnly(token, options, endpoint);
  }

  /** Serves a request for metrics. @param http the exchange of the request and the response. */
  serve(http: HttpExchange, request: IncomingMessage, response: ServerResponse): void {
    const answer = (): void => {
      if (http.method !== 'GET' && http.method !== 'HEAD') return refuseMethod(http, 'GET, HEAD');
      void this.#answer(request, response);
    };
    http.trustedProxies = this.options.trustedProxies;
    if (refusesCaller(http, this.origins, this.endpoint)) return;
    if (this.#operators) this.#operators.admit(http, answer);
    else answer();
  }

  /** Never rejects: an error of the handler is logged and answered with 500. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { endpoint, metrics } = this;
    const { logger, track } = endpoint;
    const run = (): MaybePromise<unknown> => metrics.handler(request, response);
    try {
      await (track ? track({ logger, details: () => ({ path: request.url }) }, run) : run());
    } catch (error) {
      answerFailed(response, logger, 'metrics could not be served', { err: error, path: request.url });
    }
  }
}

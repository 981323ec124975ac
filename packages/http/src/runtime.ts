import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { ERROR_CODES, type Logger } from '@sigil/core';
import { isPlainObject, LogThrottle, OptionChecks, type OptionTable } from '@sigil/core/internal';
import type { Endpoint, RunningRuntime, Runtime } from '@sigil/core/transport';
import { exitAfter, handleSignals, stderrLogger } from '@sigil/node';
import { refuse } from './answers.js';
import { createHandler, type HttpHandler, isAt } from './handler.js';
import { isListenHost, listen, loopbackNames, portOf } from './listening.js';
import { NodeExchange } from './node-exchange.js';
import { resolveOptions } from './check-options.js';
import {
  type HttpLimits,
  type HttpOptions,
  type HttpRuntimeOptions,
  type HttpServerLimits,
  type ResolvedOptions,
} from './options.js';
import { EventsEndpoint } from './events-endpoint.js';
import {
  eventsOptions,
  MetricsEndpoint,
  metricsOptions,
  type ResolvedEvents,
  type ResolvedMetrics,
} from './operators.js';
import { Probes } from './probes.js';
import { OriginCheck, pathOf, refusesCaller } from './requests.js';
import { type RouteHandler, serveRoute } from './routes.js';
import { SSE_PATHS, sseTarget } from './sse-endpoint.js';
import { closeWithPrimary, isWorker, runWorkers, startsWorkers, workerNumber } from './workers.js';

/**
 * Creates a runtime that serves an app over Streamable HTTP with `node:http`. One endpoint serves every protocol
 * revision.
 *
 * @param options address, authentication and limits of the server.
 * @throws DefinitionError when an option is wrong. If other machines can reach `host`, one of `authorization`,
 *   `authenticate` and `allowAnonymous` must be set.
 * @example
 * ```ts
 * const { address } = await app.run(http({ port: 3000, health: '/health', ready: '/readyz' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function http(options: HttpRuntimeOptions = {}): Runtime {
  const server = serverOptions(options);
  const { allowedHosts, authenticate, authorization } = server.handler;
  return {
    name: 'http',
    logger: stderrLogger(),
    ownsProcess: true,
    handleSignals: server.handleSignals,
    start: async (endpoint) => {
      if (await startsWorkers(server.workers)) {
        if (!hasBackend(endpoint, server)) endpoint.logger.warn(NO_BACKEND);
        const rules = {
          closeMs: server.drainMs + server.closeDelayMs,
          handleSignals: server.handleSignals,
        };
        return runWorkers(endpoint, server.workers, rules, (port) => urlOf(server, port));
      }
      const isStateless = isWorker() && !hasBackend(endpoint, server);
      const started = await start(
        endpoint,
        server,
        createHandler(endpoint, { ...server.handler, isStateless }),
      );
      // The process that has started the workers logs this once for all of them.
      if (!isWorker()) endpoint.logger.info({ address: started.address }, 'listens');
      if (allowedHosts === '*' && !authenticate && !authorization)
        endpoint.logger.warn(
          { host: server.host },
          'allowAnonymous is set: every client that reaches this server may call it',
        );
      return started;
    },
  };
}

/** Maximum time for the disposal of services before the process exits, in milliseconds. */
const DISPOSAL_MS = 5_000;

const NO_BACKEND =
  'without a backend, workers only serve clients of 2026-07-28. These clients cannot use tasks, and get no notifications of changes in other workers. ' +
  'Each worker can accept the same requestState once, because a worker does not know which values other workers have accepted. Set the option backend of createApp';

/** Whether sessions can be served by several processes. */
function hasBackend({ backend }: Endpoint, { handler }: ServerOptions): boolean {
  return (handler.sessionStore ?? backend.sessions) !== undefined;
}

async function start(
  endpoint: Endpoint,
  options: ServerOptions,
  handler: HttpHandler,
): Promise<RunningRuntime> {
  const { host, port, path, health, ready, drainMs, closeDelayMs, handleSignals: wanted } = options;
  const routes = Object.entries(options.routes);
  const origins = new OriginCheck(options.handler);
  const { sse } = options.handler;
  const metrics = options.metrics?.port === undefined ? options.metrics : undefined;
  const metricsEndpoint = metrics && new MetricsEndpoint(metrics, origins, endpoint, options.handler);
  const events =
    options.events &&
    new EventsEndpoint(options.events, origins, endpoint, options.handler, () => handler.sessions);
  const { maxConnections, ...times } = options.limits;
  // Side effects of tasks may take as long as requests, even if no request is left.
  const exitMs = drainMs + DISPOSAL_MS;
  let closing: Promise<void> | undefined;
  handler.mountedAt(path);
  const probes = new Probes(endpoint);
  // Not imported at the top: a program that is bundled into one file and serves stdio would load it.
  const { createServer } = await import('node:http');
  const server = createServer(times, (request, response) => {
    const target = pathOf(request.url ?? '/');
    if (health !== undefined && isAt(target, health)) return probes.health(request, response);
    if (ready !== undefined && isAt(target, ready)) return probes.ready(request, response);
    // The next request from this client should go to another process.
    if (closing) response.shouldKeepAlive = false;
    const exchange = new NodeExchange(request, response, handler.output);
    const route = routes.find(([own]) => isAt(target, own));
    if (route) {
      exchange.trustedProxies = options.handler.trustedProxies;
      if (!refusesCaller(exchange, origins, endpoint)) void serveRoute(route[1], request, response, endpoint);
      return;
    }
    if (metrics && isAt(target, metrics.path)) return metricsEndpoint?.serve(exchange, request, response);
    if (options.events && isAt(target, options.events.path)) return events?.serve(exchange);
    const served =
      isAt(target, path) ||
      handler.hasDocument(target) ||
      (sse && SSE_PATHS.some((end) => isAt(target, end)));
    if (served) handler.handle(exchange);
    else
      refuse(
        exchange,
        404,
        ERROR_CODES.invalidRequest,
        `Nothing is served here; the MCP endpoint is ${path}`,
      );
  });
  limitConnections(server, maxConnections, endpoint.logger);
  keepForRequestsOnTheirWay(server, times.keepAliveTimeout);
  const sockets = trackSockets(server);
  const closeMetrics = await startMetrics(endpoint, options, handler);
  try {
    await listen(server, { port, host });
  } catch (error) {
    closeMetrics?.();
    throw error;
  }
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (settle = resolve));
  const stopGently = async (delayMs: number): Promise<void> => {
    probes.closes();
    // Load balancers need a moment to notice. Until then, all requests are served.
    if (delayMs > 0) await delay(delayMs);
    events?.close();
    await stop(server, sockets, handler, drainMs);
    closeMetrics?.();
    settle();
  };
  let signalled = false;
  const close = (): Promise<void> => (closing ??= stopGently(signalled ? closeDelayMs : 0));
  const closeOnSignal = (): Promise<void> => {
    signalled = true;
    endpoint.closes?.();
    return close();
  };
  const stopListening = isWorker()
    ? await closeWithPrimary(closeOnSignal, wanted)
    : wanted
      ? handleSignals(process, closeOnSignal, exitMs)
      : undefined;
  void closed.then(stopListening);
  return {
    closed,
    close,
    address: urlOf(options, portOf(server)),
    appCloses: (disposed) => void (signalled && exitAfter(process, disposed, exitMs)),
  };
}

/** Serves metrics on their separate port. @returns a function that stops this. */
async function startMetrics(
  endpoint: Endpoint,
  { metrics, handler: options, limits: { maxConnections, ...times } }: ServerOptions,
  { output }: HttpHandler,
): Promise<(() => void) | undefined> {
  if (metrics?.port === undefined) return undefined;
  const { host, path, allowedHosts } = metrics;
  const origins = new OriginCheck({ ...options, allowedHosts });
  const served = new MetricsEndpoint(metrics, origins, endpoint, options);
  const { createServer } = await import('node:http');
  const server = createServer(times, (request, response) => {
    const exchange = new NodeExchange(request, response, output);
    if (isAt(exchange.target, path)) served.serve(exchange, request, response);
    else refuse(exchange, 404, ERROR_CODES.invalidRequest, `Nothing is served here; metrics are at ${path}`);
  });
  limitConnections(server, maxConnections, endpoint.logger);
  // Workers would share a port: each worker gets its own.
  const port = metrics.port === 0 ? 0 : metrics.port + workerNumber();
  await listen(server, { port, host, exclusive: true }, 'metrics.');
  endpoint.logger.info({ address: urlOf(metrics, portOf(server)) }, 'serves metrics');
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

function urlOf({ host, path }: Pick<ServerOptions, 'host' | 'path'>, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}

function limitConnections(server: Server, maxConnections: number, logger: Logger): void {
  server.maxConnections = maxConnections;
  const told = new LogThrottle();
  server.on('drop', () => {
    if (told.allows('drop'))
      logger.warn(
        { maxConnections },
        'new connections are refused, because the maximum number of connections is open',
      );
  });
}

/**
 * Closes idle connections after more than three times the announced `Keep-Alive: timeout`. A client may use a
 * connection at the last moment, and Node checks timers before it reads: on a busy machine, such a request would be
 * reset.
 *
 * @param keepAliveTimeout the announced timeout, in milliseconds. Other timeouts of a socket belong to answers in
 *   progress.
 */
function keepForRequestsOnTheirWay(server: Server, keepAliveTimeout: number): void {
  // Some versions of Node add a second themselves; the timeout set below is neither of these values.
  const told = [keepAliveTimeout, keepAliveTimeout + 1_000];
  const longer = 2 * keepAliveTimeout + 1_500;
  // With a listener, Node does not close them itself.
  server.on('timeout', (socket: Socket) => {
    if (told.includes(socket.timeout ?? 0)) socket.setTimeout(longer);
    else if (socket.timeout === longer) socket.destroy();
  });
}

/** The connections of a server, each with the time when it was accepted, in milliseconds. */
type Sockets = ReadonlyMap<Socket, number>;

function trackSockets(server: Server): Sockets {
  const sockets = new Map<Socket, number>();
  server.on('connection', (socket) => {
    sockets.set(socket, performance.now());
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** How long after accepting a connection a closing server waits for its first request, in milliseconds. */
const FIRST_REQUEST_MS = 250;

/** Waits for the first request on new connections: a proxy could not know that a request was not processed. */
async function firstRequests(sockets: Sockets, ms: number): Promise<void> {
  const isAwaited = ([{ bytesRead }, acceptedAt]: [Socket, number]): boolean =>
    bytesRead === 0 && performance.now() - acceptedAt < ms;
  while ([...sockets].some(isAwaited)) await delay(5);
}

async function stop(server: Server, sockets: Sockets, handler: HttpHandler, drainMs: number): Promise<void> {
  // First accept the connections that have arrived by now: waiting ones would be reset.
  await nextTurn();
  // http.Server's own close() would cut off connections whose answer is still on its way.
  const stopped = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await firstRequests(sockets, Math.min(drainMs, FIRST_REQUEST_MS));
  await handler.drain(drainMs);
  for (const socket of sockets.keys()) socket.destroySoon();
  // Output that a client has not read by now is dropped.
  const deadline = setTimeout(() => [...sockets.keys()].forEach((socket) => socket.destroy()), drainMs);
  await stopped;
  clearTimeout(deadline);
}

const SERVER_LIMITS: OptionTable<Omit<HttpServerLimits, keyof HttpLimits>> = {
  maxConnections: true,
  headersTimeoutMs: true,
  keepAliveTimeoutMs: true,
  maxHeaderBytes: true,
};
const RUNTIME_OPTIONS: OptionTable<Omit<HttpRuntimeOptions, keyof HttpOptions>> = {
  port: true,
  host: true,
  allowAnonymous: true,
  path: true,
  health: true,
  ready: true,
  routes: true,
  metrics: true,
  events: true,
  drainMs: true,
  closeDelayMs: true,
  handleSignals: true,
  workers: true,
};

/** The limits of a server that `http()` creates, by the names of `node:http`. */
interface ServerLimits {
  readonly maxConnections: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  readonly connectionsCheckingInterval: number;
}

/** The resolved options of `http()`. */
interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly health: string | undefined;
  readonly ready: string | undefined;
  readonly routes: Readonly<Record<string, RouteHandler>>;
  readonly metrics: ResolvedMetrics | undefined;
  readonly events: ResolvedEvents | undefined;
  readonly drainMs: number;
  readonly closeDelayMs: number;
  readonly workers: number;
  readonly handleSignals: boolean;
  readonly limits: ServerLimits;
  /** Options of the handler that serves its requests. */
  readonly handler: ResolvedOptions;
}

/**
 * Fills in the defaults of `http()`.
 *
 * @throws DefinitionError when an option is wrong, or when the server must not listen on its host.
 */
function serverOptions(options: HttpRuntimeOptions): ServerOptions {
  OptionChecks.requireObject('http', options);
  const checks = new OptionChecks('http');
  checks.booleans(options, 'allowAnonymous', 'handleSignals');
  const { host = '127.0.0.1', port = 3000, path = '/mcp', health, ready, workers = 1 } = options;
  const { drainMs = 5_000, closeDelayMs = 0 } = options;
  const allowedHosts = hostsFor(host, options, checks);
  const handler = resolveOptions({ allowedHosts, ...options }, checks, RUNTIME_OPTIONS, SERVER_LIMITS);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    checks.refuse('port', `it must be an integer from 0 to 65535, not ${String(port)}`);
  if (!isPath(path)) checks.refuse('path', `it must be a path such as /mcp, not '${path}'`);
  else if (handler.sse && options.path !== undefined && sseTarget(path))
    checks.refuse('path', `it must not end in ${SSE_PATHS.join(' or ')} when sse is on, but it is ${path}`);
  const { routes = {} } = options;
  if (!isPlainObject(routes))
    checks.refuse(
      'routes',
      'it must be an object with one function for each path',
      "write routes: { '/hooks': handler }",
    );
  const taken = handler.sse ? [path, ...SSE_PATHS] : [path];
  checks.integer('workers', workers);
  const metrics = metricsOptions(options.metrics, { host, workers }, checks);
  const events = eventsOptions(options.events, checks);
  // Metrics on a separate port cannot share a path with anything else.
  if (metrics?.port !== undefined) checkOwnPath('metrics', metrics.path, [], checks);
  const beside = { metrics: metrics?.port === undefined ? metrics?.path : undefined, events: events?.path };
  for (const [option, own] of Object.entries({ health, ready, ...beside })) {
    if (own === undefined) continue;
    checkOwnPath(option, own, taken, checks);
    taken.push(own);
  }
  for (const [own, handle] of Object.entries(routes)) {
    checkOwnPath('routes', own, taken, checks);
    taken.push(own);
    if (typeof handle !== 'function') checks.refuse('routes', `the handler of ${own} must be a function`);
  }
  for (const [option, value] of Object.entries({ drainMs, closeDelayMs }))
    if (typeof value !== 'number' || !(value >= 0 && Number.isFinite(value)))
      checks.refuse(option, `it must be a number of milliseconds, not ${value}`);
  const limits = serverLimits(options.limits ?? {}, handler.requestTimeoutMs, checks);
  checks.throwIfAny();
  const times = { drainMs, closeDelayMs };
  const handleSignals = options.handleSignals ?? true;
  const paths = { path, health, ready, routes, metrics, events };
  return { host, port, ...paths, workers, ...times, handleSignals, limits, handler };
}

/** Returns the default names that `Host` may have. A server on a network does not know its own names. */
function hostsFor(
  host: string,
  { authenticate, authorization, allowAnonymous }: HttpRuntimeOptions,
  checks: OptionChecks,
): readonly string[] | '*' {
  if (!isListenHost('host', host, checks)) return '*';
  const names = loopbackNames(host);
  if (names) return names;
  if (!authenticate && !authorization && allowAnonymous !== true)
    checks.refuse(
      'host',
      `every client that reaches ${host} could call this server`,
      'set the option authenticate or authorization, for example app.run({ http: { authenticate } }); or allow all clients with --allow-anonymous (in code: allowAnonymous: true); or listen on 127.0.0.1',
    );
  return '*';
}

/** Whether clients can request a path literally: they resolve `..`, and encode characters other than ASCII. */
function isPath(path: string): boolean {
  const base = 'http://localhost';
  return /^\/[^?#\s]*$/.test(path) && URL.canParse(base + path) && new URL(base + path).pathname === path;
}

/** Checks the path of a probe. @param taken the paths that are already in use. */
function checkOwnPath(option: string, probe: string, taken: readonly string[], checks: OptionChecks): void {
  if (!isPath(probe)) return checks.refuse(option, `it must be a path such as /${option}, not '${probe}'`);
  const other = taken.find((path) => isAt(probe, path) || isAt(path, probe));
  if (other !== undefined) checks.refuse(option, `it must not be ${probe}: the server already uses ${other}`);
}

/** How much longer Node's own timeout for a request is, in milliseconds. */
const NODE_LATER_MS = 2_000;

function serverLimits(
  limits: HttpServerLimits,
  requestTimeoutMs: number,
  checks: OptionChecks,
): ServerLimits {
  const { headersTimeoutMs = Math.min(10_000, requestTimeoutMs) } = limits;
  if (headersTimeoutMs > requestTimeoutMs)
    checks.refuse(
      'limits.headersTimeoutMs',
      `it must be at most requestTimeoutMs (${requestTimeoutMs}), not ${headersTimeoutMs}`,
    );
  return {
    maxConnections: limits.maxConnections ?? 10_000,
    headersTimeout: headersTimeoutMs,
    // A fallback: Node's own timeout reports no reason, so ours fires first.
    requestTimeout: requestTimeoutMs + NODE_LATER_MS,
    keepAliveTimeout: limits.keepAliveTimeoutMs ?? 5_000,
    maxHeaderSize: limits.maxHeaderBytes ?? 16 * 1024,
    // By default, Node checks only every 30 seconds, which would double these times.
    connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
  };
}

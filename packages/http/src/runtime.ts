import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, Server as NetServer, type Socket } from 'node:net';
import {
  type Endpoint,
  ERROR_CODES,
  type Logger,
  LogThrottle,
  OptionChecks,
  type RunningRuntime,
  type Runtime,
} from '@sigil/core/transport';
import { exitAfter, handleSignals, stderrLogger } from '@sigil/node';
import { refuse } from './answers.js';
import { createHandler, type HttpHandler } from './handler.js';
import { NodeExchange, pathOf } from './node-exchange.js';
import { resolveOptions } from './check-options.js';
import {
  type HttpLimits,
  type HttpOptions,
  type HttpRuntimeOptions,
  type HttpServerLimits,
  LOOPBACK_HOSTS,
  type ResolvedOptions,
} from './options.js';
import { SSE_PATHS, sseTarget } from './sse-endpoint.js';

const HEALTH_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
const OK = '{"status":"ok"}';
const CLOSING = '{"status":"closing"}';

/**
 * Serves an app over Streamable HTTP with `node:http`, for every protocol revision on one endpoint.
 *
 * @param options where to listen, who may call, and how much they may ask for.
 * @throws DefinitionError when an option is wrong, or when `host` is beyond this machine and neither `authenticate` nor
 *   `allowAnonymous` is given.
 * @example
 * ```ts
 * const { address } = await app.run(http({ port: 3000, health: '/health' }));
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function http(options: HttpRuntimeOptions = {}): Runtime {
  const server = serverOptions(options);
  const { allowedHosts, authenticate } = server.handler;
  return {
    name: 'http',
    logger: stderrLogger(),
    ownsProcess: server.handleSignals,
    start: async (endpoint) => {
      const started = await start(endpoint, server, createHandler(endpoint, server.handler));
      if (allowedHosts === '*' && !authenticate)
        endpoint.logger.warn(
          { host: server.host },
          'allowAnonymous: every client that reaches this server may call it',
        );
      return started;
    },
  };
}

async function start(
  endpoint: Endpoint,
  {
    host,
    port,
    path,
    health,
    drainMs,
    handleSignals: wanted,
    handler: { sse },
    limits: { maxConnections, ...times },
  }: ServerOptions,
  handler: HttpHandler,
): Promise<RunningRuntime> {
  let closing: Promise<void> | undefined;
  const server = createServer(times, (request, response) => {
    const target = pathOf(request.url ?? '/');
    if (health !== undefined && isAt(target, health))
      return answerHealth(request, response, closing !== undefined);
    const exchange = new NodeExchange(request, response, handler.output);
    const served = isAt(target, path) || (sse && SSE_PATHS.some((end) => isAt(target, end)));
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
  const sockets = trackSockets(server);
  await listen(server, port, host);
  let settle: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (settle = resolve));
  const close = (): Promise<void> => (closing ??= stop(server, sockets, handler, drainMs).then(settle));
  let signalled = false;
  const stopListening = wanted
    ? handleSignals(process, () => {
        signalled = true;
        return close();
      })
    : () => undefined;
  void closed.then(stopListening);
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    closed,
    close,
    address: `http://${shown}:${(server.address() as AddressInfo).port}${path}`,
    appCloses: (disposed) => void (signalled && exitAfter(process, disposed)),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function limitConnections(server: Server, maxConnections: number, logger: Logger): void {
  server.maxConnections = maxConnections;
  const told = new LogThrottle();
  server.on('drop', () => {
    if (told.allows('drop'))
      logger.warn({ maxConnections }, 'connections are refused: there are as many as there may be');
  });
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function stop(
  server: Server,
  sockets: ReadonlySet<Socket>,
  handler: HttpHandler,
  drainMs: number,
): Promise<void> {
  // http.Server's own close() would cut off connections whose answer is still on its way.
  const stopped = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await handler.drain(drainMs);
  for (const socket of sockets) socket.destroySoon();
  // What a client has not read by now it will not read.
  const deadline = setTimeout(() => sockets.forEach((socket) => socket.destroy()), drainMs);
  await stopped;
  clearTimeout(deadline);
}

/** Tells a load balancer or an orchestrator whether to send requests here. Everybody may ask, and often. */
function answerHealth(request: IncomingMessage, response: ServerResponse, closing: boolean): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0, Connection: 'close' }).end();
    return;
  }
  const body = closing ? CLOSING : OK;
  response.writeHead(closing ? 503 : 200, { ...HEALTH_HEADERS, 'Content-Length': body.length });
  // Node leaves the body of an answer to HEAD out.
  response.end(body);
}

const SERVER_LIMITS: Readonly<Record<Exclude<keyof HttpServerLimits, keyof HttpLimits>, true>> = {
  maxConnections: true,
  headersTimeoutMs: true,
  keepAliveTimeoutMs: true,
  maxHeaderBytes: true,
};
const RUNTIME_OPTIONS: Readonly<Record<Exclude<keyof HttpRuntimeOptions, keyof HttpOptions>, true>> = {
  port: true,
  host: true,
  allowAnonymous: true,
  path: true,
  health: true,
  drainMs: true,
  handleSignals: true,
};

/** The limits of a server of our own, as `node:http` calls them. */
interface ServerLimits {
  readonly maxConnections: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  readonly connectionsCheckingInterval: number;
}

/** What a server of `http()` is made from. */
interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly health: string | undefined;
  readonly drainMs: number;
  readonly handleSignals: boolean;
  readonly limits: ServerLimits;
  /** What the handler of its requests is made from. */
  readonly handler: ResolvedOptions;
}

/** Fills in the defaults of `http()`. @throws DefinitionError when an option is wrong, or when a server may not listen there. */
function serverOptions(options: HttpRuntimeOptions): ServerOptions {
  OptionChecks.requireObject('http', options);
  const checks = new OptionChecks('http');
  checks.booleans(options, 'allowAnonymous', 'handleSignals');
  const { host = '127.0.0.1', port = 3000, path = '/mcp', health, drainMs = 5_000 } = options;
  const allowedHosts = hostsFor(host, options, checks);
  const handler = resolveOptions({ allowedHosts, ...options }, checks, RUNTIME_OPTIONS, SERVER_LIMITS);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    checks.refuse('port', `it must be an integer from 0 to 65535, not ${String(port)}`);
  if (!isPath(path)) checks.refuse('path', `it must be a path such as /mcp, not '${path}'`);
  else if (handler.sse && options.path !== undefined && sseTarget(path))
    checks.refuse('path', `it must end in none of ${SSE_PATHS.join(', ')} where sse is on, not ${path}`);
  if (health !== undefined) checkHealthPath(health, handler.sse ? [path, ...SSE_PATHS] : [path], checks);
  if (typeof drainMs !== 'number' || !(drainMs >= 0 && Number.isFinite(drainMs)))
    checks.refuse('drainMs', `it must be a number of milliseconds, not ${drainMs}`);
  const limits = serverLimits(options.limits ?? {}, handler.requestTimeoutMs, checks);
  checks.throwIfAny();
  return { host, port, path, health, drainMs, handleSignals: options.handleSignals ?? true, limits, handler };
}

/** The names that `Host` may have when none are given: on the network a server cannot know by which names it is called. */
function hostsFor(
  host: string,
  { authenticate, allowAnonymous }: HttpRuntimeOptions,
  checks: OptionChecks,
): readonly string[] | '*' {
  if (typeof host !== 'string') checks.refuse('host', 'it must be a string, such as 127.0.0.1');
  else if (host.trim() === '')
    checks.refuse('host', 'it must not be empty', 'give an address, such as 127.0.0.1, or leave it out');
  else if (host === '::1' || LOOPBACK_HOSTS.includes(host.toLowerCase())) return LOOPBACK_HOSTS;
  else if (isIPv4(host) && host.startsWith('127.')) return [...LOOPBACK_HOSTS, host];
  else if (!authenticate && allowAnonymous !== true)
    checks.refuse(
      'host',
      `everybody who reaches ${host} could call this server`,
      'give authenticate, or allow it with allowAnonymous: true (on the command line --allow-anonymous), or listen on 127.0.0.1',
    );
  return '*';
}

function isPath(path: string): boolean {
  return /^\/[^?#\s]*$/.test(path);
}

/** @param taken the paths of everything else that is served. */
function checkHealthPath(health: string, taken: readonly string[], checks: OptionChecks): void {
  if (!isPath(health)) return checks.refuse('health', `it must be a path such as /health, not '${health}'`);
  const other = taken.find((path) => isAt(health, path) || isAt(path, health));
  if (other !== undefined)
    checks.refuse('health', `it must be a path of its own, not ${health}: ${other} is served already`);
}

/** Whether a request target, such as `/mcp/?a=1`, is at a path. */
function isAt(target: string, path: string): boolean {
  return target === path || (target.startsWith(path) && /^\/?(\?|$)/.test(target.slice(path.length)));
}

function serverLimits(
  limits: HttpServerLimits,
  requestTimeoutMs: number,
  checks: OptionChecks,
): ServerLimits {
  const { headersTimeoutMs = Math.min(10_000, requestTimeoutMs) } = limits;
  if (headersTimeoutMs > requestTimeoutMs)
    checks.refuse(
      'limits.headersTimeoutMs',
      `it must be at most requestTimeoutMs, ${requestTimeoutMs}, not ${headersTimeoutMs}`,
    );
  return {
    maxConnections: limits.maxConnections ?? 10_000,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs ?? 5_000,
    maxHeaderSize: limits.maxHeaderBytes ?? 16 * 1024,
    // Node looks every 30 seconds unless told otherwise, which would double these times.
    connectionsCheckingInterval: Math.min(2_000, headersTimeoutMs),
  };
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, Server as NetServer, type Socket } from 'node:net';
import {
  type Endpoint,
  ERROR_CODES,
  type Logger,
  LogThrottle,
  type RunningRuntime,
  type Runtime,
} from '@sigil/core/transport';
import { exitAfter, handleSignals, stderrLogger } from '@sigil/node';
import { refuse } from './answers.js';
import { createHandler, type HttpHandler } from './handler.js';
import { NodeExchange, pathOf } from './node-exchange.js';
import {
  type HttpRuntimeOptions,
  LOOPBACK_HOSTS,
  resolveOptions,
  SERVER_OPTIONS,
  serverLimits,
  type ServerLimits,
} from './options.js';
import { SSE_PATHS, sseTarget } from './sse-endpoint.js';

const DEFAULT_PATH = '/mcp';
const DEFAULT_PORT = 3000;
const DEFAULT_DRAIN_MS = 5_000;

const HEALTH_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
const OK = '{"status":"ok"}';
const CLOSING = '{"status":"closing"}';

/**
 * Serves an app over Streamable HTTP with `node:http`, for every protocol revision on one endpoint.
 *
 * @throws RangeError when an option is out of range, or when `host` is beyond this machine and neither `authenticate` nor
 *   `allowAnonymous` is given.
 */
export function http(options: HttpRuntimeOptions = {}): Runtime {
  const host = options.host ?? '127.0.0.1';
  const allowedHosts = hostsFor(host, options);
  const resolved = resolveOptions({ allowedHosts, ...options }, SERVER_OPTIONS);
  if (resolved.sse && options.path !== undefined && sseTarget(options.path))
    throw new RangeError(
      `path must end in none of ${SSE_PATHS.join(', ')} where sse is on, not ${options.path}`,
    );
  const limits = serverLimits(options, resolved);
  const { path = DEFAULT_PATH, health, port = DEFAULT_PORT } = options;
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`port must be an integer from 0 to 65535, not ${String(port)}`);
  if (!/^\/[^?#\s]*$/.test(path)) throw new RangeError(`path must be a path such as /mcp, not '${path}'`);
  if (health !== undefined) checkHealthPath(health, resolved.sse ? [path, ...SSE_PATHS] : [path]);
  return {
    name: 'http',
    logger: stderrLogger(),
    ownsProcess: options.handleSignals ?? true,
    start: async (endpoint) => {
      const started = await start(endpoint, { ...options, host, limits }, createHandler(endpoint, resolved));
      if (allowedHosts === '*' && !options.authenticate)
        endpoint.logger.warn({ host }, 'allowAnonymous: every client that reaches this server may call it');
      return started;
    },
  };
}

/**
 * The names that `Host` may have when none are given: on the network a server cannot know by which names it is called.
 *
 * @throws RangeError when a server may not listen there.
 */
function hostsFor(
  host: string,
  { authenticate, allowAnonymous }: HttpRuntimeOptions,
): readonly string[] | '*' {
  if (host.trim() === '')
    throw new RangeError('host must not be empty: give an address, such as 127.0.0.1, or leave it out');
  if (host === '::1' || LOOPBACK_HOSTS.includes(host.toLowerCase())) return LOOPBACK_HOSTS;
  if (isIPv4(host) && host.startsWith('127.')) return [...LOOPBACK_HOSTS, host];
  if (authenticate || allowAnonymous) return '*';
  throw new RangeError(
    `Everybody who reaches ${host} could call this server: give authenticate, or allow it with allowAnonymous: true ` +
      '(on the command line --allow-anonymous), or listen on 127.0.0.1',
  );
}

async function start(
  endpoint: Endpoint,
  {
    host,
    port = DEFAULT_PORT,
    path = DEFAULT_PATH,
    sse = false,
    health,
    drainMs = DEFAULT_DRAIN_MS,
    handleSignals: wanted = true,
    limits: { maxConnections, ...times },
  }: HttpRuntimeOptions & { readonly host: string; readonly limits: ServerLimits },
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

/**
 * Checks where health is told.
 *
 * @param taken the paths of everything else that is served.
 * @throws RangeError when it is no path, or one of those.
 */
function checkHealthPath(health: string, taken: readonly string[]): void {
  if (!/^\/[^?#\s]*$/.test(health))
    throw new RangeError(`health must be a path such as /health, not '${health}'`);
  const other = taken.find((path) => isAt(health, path) || isAt(path, health));
  if (other !== undefined)
    throw new RangeError(`health must be a path of its own, not ${health}: ${other} is served already`);
}

/** Whether a request target, such as `/mcp/?a=1`, is at a path. */
function isAt(target: string, path: string): boolean {
  return target === path || (target.startsWith(path) && /^\/?(\?|$)/.test(target.slice(path.length)));
}

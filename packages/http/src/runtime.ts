import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv4, Server as NetServer, type Socket } from 'node:net';
import type { Endpoint, RunningRuntime, Runtime } from '@sigil/core/transport';
import { ERROR_CODES } from '@sigil/core/transport';
import { exitAfter, handleSignals, stderrLogger } from '@sigil/node';
import { refuse } from './answers.js';
import { createHandler, type HttpHandler } from './create-handler.js';
import { answerHealth, checkHealthPath } from './health.js';
import { NodeExchange } from './node-exchange.js';
import { type HttpRuntimeOptions, LOOPBACK_HOSTS, resolveOptions } from './options.js';
import { isAt } from './paths.js';
import { SSE_PATHS, sseTarget } from './sse-target.js';

const DEFAULT_PATH = '/mcp';
const DEFAULT_PORT = 3000;
const DEFAULT_DRAIN_MS = 5_000;

/**
 * Serves an app over Streamable HTTP with `node:http`, for every protocol revision on one endpoint.
 *
 * @throws RangeError when an option is out of range, or when `host` is beyond this machine and neither `authenticate` nor
 *   `allowAnonymous` is given.
 */
export function http(options: HttpRuntimeOptions = {}): Runtime {
  const host = options.host ?? '127.0.0.1';
  const allowedHosts = hostsFor(host, options);
  const resolved = resolveOptions({ allowedHosts, ...options });
  if (resolved.sse && options.path !== undefined && sseTarget(options.path))
    throw new RangeError(
      `path must end in none of ${SSE_PATHS.join(', ')} where sse is on, not ${options.path}`,
    );
  const { path = DEFAULT_PATH, health } = options;
  if (health !== undefined) checkHealthPath(health, resolved.sse ? [path, ...SSE_PATHS] : [path]);
  return {
    name: 'http',
    logger: stderrLogger(),
    start: (endpoint) => start(endpoint, { ...options, host }, createHandler(endpoint, resolved)),
  };
}

/**
 * The names that `Host` may have when none are given: on the network a server cannot know by which names it is called.
 *
 * @throws RangeError when nobody may listen there.
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
  }: HttpRuntimeOptions & { host: string },
  handler: HttpHandler,
): Promise<RunningRuntime> {
  let closing: Promise<void> | undefined;
  const server = createServer((request, response) => {
    if (health !== undefined && isAt(request.url, health))
      return answerHealth(request, response, closing !== undefined);
    const exchange = new NodeExchange(request, response);
    const served = isAt(request.url, path) || (sse && SSE_PATHS.some((end) => isAt(request.url, end)));
    if (served) handler.handle(exchange);
    else
      refuse(
        exchange,
        404,
        ERROR_CODES.invalidRequest,
        `Nothing is served here; the MCP endpoint is ${path}`,
      );
  });
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

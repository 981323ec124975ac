import type { Socket } from 'node:net';
import type { App } from '@sigil/core';
import { type HttpOptions, nodeHandler } from '@sigil/http';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';

/** The MCP app, the path of its endpoint within a Fastify application, and the options of the HTTP transport. */
export interface FastifyOptions extends HttpOptions {
  /** The result of `createApp`. */
  readonly app: App;
  /**
   * Path of the MCP endpoint, without `prefix`.
   *
   * @default '/mcp'
   */
  readonly path?: string;
  /** The prefix of `path`. It has the same meaning as the option `prefix` of other Fastify plugins. */
  readonly prefix?: string;
  /**
   * Maximum time to wait for requests in flight when Fastify closes, in milliseconds.
   *
   * @default 5 seconds
   */
  readonly drainMs?: number;
}

const register: FastifyPluginAsync<FastifyOptions> = async (
  fastify,
  { app, path = '/mcp', prefix = '', drainMs = 5_000, ...options },
) => {
  if (options.authorization && fastify.prefix !== '')
    throw new Error(
      `The metadata documents of the option authorization must be at the root of the server: register fastifyPlugin on the root instance, with prefix: '${fastify.prefix}${prefix}'`,
    );
  const handler = nodeHandler(app, options);
  handler.mountedAt(fastify.prefix + prefix + path);
  const serve = (request: FastifyRequest, reply: FastifyReply): void => {
    // Headers from hooks, such as CORS headers, must be copied to the raw response.
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '');
    reply.hijack();
    handler(request.raw, reply.raw, undefined, request);
  };
  fastify.addHook('onRequest', (request, reply, next) =>
    handler.serves(request.originalUrl) ? serve(request, reply) : next(),
  );
  const sockets = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('preClose', async () => {
    await handler.close(drainMs);
    // Clients open more connections than they use. Node waits a minute for the first request on each.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
  await fastify.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _body, done) => done(null));
      for (const url of options.sse ? [path, '/sse', '/messages'] : [path])
        // With a prefix, the path is served with and without a final slash, regardless of the router's options.
        await scope.register(async (at) => void at.all('/', serve), { prefix: url });
    },
    { prefix },
  );
};

/**
 * A Fastify plugin that serves an MCP app. It also serves the public documents of the option `authorization`; their
 * paths begin at the root of the server. The app reads the bodies of requests itself, without the parsers of Fastify.
 * When Fastify closes, requests in flight finish first, and then sessions end.
 *
 * @throws DefinitionError when an option is wrong.
 * @throws Error if the plugin has the option `authorization` and is registered in a context that has a prefix. The
 *   documents of the authorization must be at the root.
 * @example
 * ```ts
 * await server.register(fastifyPlugin, { app, prefix: '/api', allowedHosts: ['mcp.example.com'] });
 * ```
 */
export const fastifyPlugin: FastifyPluginAsync<FastifyOptions> = plugin(register, {
  name: '@sigil/fastify',
  fastify: '5.x',
});

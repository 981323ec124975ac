import 'reflect-metadata';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { App } from '@sigil/core';
import { expressHandler } from '@sigil/express';
import { fastifyPlugin } from '@sigil/fastify';
import { type NodeHandler, nodeHandler } from '@sigil/http';
import { All, Controller, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import compression from 'compression';
import express from 'express';
import express4 from 'express-v4';
import Fastify from 'fastify';
import * as h3 from 'h3';
import * as h3v1 from 'h3-v1';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { isAmong, type Mount } from './contract-app.js';
import type { Served } from './framework.js';
import { http2Fetch } from './http2-fetch.js';
import type { FrameworkHere } from './in-process.js';

/** Frameworks on Node's requests and responses, with our adapters and with `nodeHandler(app)`, each as its users would write it. */
export const NODE_FRAMEWORKS: readonly FrameworkHere[] = [
  {
    name: 'Express, by @sigil/express',
    readsBodies: false,
    serve: (app, mounts) => inExpress(express(), app, mounts),
  },
  {
    name: 'Express, by @sigil/express behind express.json()',
    readsBodies: false,
    serve: (app, mounts) => inExpress(express().use(express.json()), app, mounts),
  },
  {
    name: 'Express, by @sigil/express in a router behind compression()',
    readsBodies: false,
    async serve(app, mounts) {
      const server = express().use(compression({ threshold: 0 }));
      const handlers = mounts.map(({ path, options }) => {
        const [, base = '', below = ''] = /^(\/[^/]+)(\/.+)$/.exec(path) ?? [];
        const handler = expressHandler(app, { path: below, ...options });
        server.use(handler.documents).use(base, express.Router().use(handler));
        return handler;
      });
      return listen(server, handlers);
    },
  },
  {
    name: 'Express 4, by @sigil/express with app.use(path, handler)',
    readsBodies: false,
    async serve(app, mounts) {
      const server = express4();
      const handlers = mounts.map(({ path, options }) => {
        const handler = expressHandler(app, { path, ...options });
        server.use(handler.documents).use(path, handler);
        return handler;
      });
      return listen(server, handlers);
    },
  },
  {
    name: 'Fastify, by @sigil/fastify',
    readsBodies: false,
    async serve(app, mounts) {
      const fastify = Fastify();
      for (const { path, options } of mounts) {
        const [, prefix = '', below = ''] = /^(\/[^/]+)(\/.+)$/.exec(path) ?? [];
        await fastify.register(fastifyPlugin, { app, prefix, path: below, ...options });
      }
      const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
      return { origin, close: () => fastify.close() };
    },
  },
  {
    name: 'node:http',
    readsBodies: true,
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);
      return listen((request, response) => {
        const mounted = handlers.find(({ paths }) => isAmong(paths, request.url));
        if (!mounted) return void response.writeHead(404).end();
        const { handler, forgetsBody } = mounted;
        if (!forgetsBody) return handler(request, response);
        request.resume().on('end', () => handler(request, response));
      }, closings(handlers));
    },
  },
  {
    name: 'node:http2',
    readsBodies: true,
    lacks: { 'official clients': 'they support only HTTP/1.1' },
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);
      const sessions = new Set<ServerHttp2Session>();
      const server = createHttp2Server((request, response) => {
        const mounted = handlers.find(({ paths }) => isAmong(paths, request.url));
        if (!mounted) return void response.writeHead(404).end();
        const { handler, forgetsBody } = mounted;
        if (!forgetsBody) return handler(request, response);
        request.resume().on('end', () => handler(request, response));
      });
      server.on('session', (session) => sessions.add(session.on('close', () => sessions.delete(session))));
      const origin = await started(server);
      const client = http2Fetch(origin);
      return {
        origin,
        fetch: client.fetch,
        async close() {
          await Promise.all(handlers.map(({ handler }) => handler.close()));
          // Streams that are open end first.
          for (const session of sessions) session.close();
          await new Promise((resolve) => server.close(resolve));
          client.close();
        },
      };
    },
  },
  {
    name: 'Express',
    readsBodies: true,
    async serve(app, mounts) {
      const server = express();
      const handlers = nodeHandlers(app, mounts);
      for (const { handler, paths, forgetsBody } of handlers)
        if (!forgetsBody) server.all([...paths], handler);
        else
          server.all([...paths], express.json(), (request, response) => {
            delete request.body;
            handler(request, response);
          });
      return listen(server, closings(handlers));
    },
  },
  {
    name: 'Fastify',
    readsBodies: true,
    lacks: { 'a final slash': 'by default, the router treats `/mcp/` and `/mcp` as different paths' },
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);
      const fastify = Fastify({ forceCloseConnections: true });
      for (const { handler, paths, forgetsBody } of handlers)
        for (const path of paths)
          fastify.all(path, (request, reply) => {
            reply.hijack();
            if (forgetsBody) handler(request.raw, reply.raw);
            else handler(request.raw, reply.raw, request.body);
          });
      const origin = await fastify.listen({ host: '127.0.0.1', port: 0 });
      return {
        origin,
        async close() {
          await Promise.all(handlers.map(({ handler }) => handler.close()));
          await fastify.close();
        },
      };
    },
  },
  {
    name: 'Koa',
    readsBodies: false,
    serve: (app, mounts) => inKoa(new Koa(), app, mounts),
  },
  {
    name: 'Koa behind koa-bodyparser',
    readsBodies: true,
    serve: (app, mounts) => inKoa(new Koa().use(bodyParser()), app, mounts),
  },
  {
    name: 'Nest',
    // Its platform reads JSON bodies, and leaves them on the request.
    readsBodies: true,
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);

      @Controller()
      class McpController {
        @All(handlers.flatMap(({ paths }) => [...paths]))
        serve(@Req() request: IncomingMessage & { body?: unknown }, @Res() response: ServerResponse): void {
          const mounted = handlers.find(({ paths }) => isAmong(paths, request.url));
          if (mounted?.forgetsBody) delete request.body;
          mounted?.handler(request, response);
        }
      }

      @Module({ controllers: [McpController] })
      class McpModule {}

      const nest = await NestFactory.create(McpModule, { logger: false, forceCloseConnections: true });
      await nest.listen(0, '127.0.0.1');
      return {
        origin: await nest.getUrl(),
        async close() {
          await Promise.all(handlers.map(({ handler }) => handler.close()));
          await nest.close();
        },
      };
    },
  },
  {
    name: 'h3',
    readsBodies: false,
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);
      const server = new h3.H3();
      for (const { handler, paths } of handlers)
        for (const path of paths) server.all(path, h3.fromNodeHandler(handler));
      return listen(h3.toNodeHandler(server) as RequestListener, closings(handlers));
    },
  },
  {
    name: 'h3 version 1',
    readsBodies: true,
    async serve(app, mounts) {
      const handlers = nodeHandlers(app, mounts);
      const server = h3v1.createApp();
      const router = h3v1.createRouter();
      for (const { handler, paths, forgetsBody } of handlers)
        for (const path of paths) {
          const serve = h3v1.fromNodeMiddleware(handler);
          const forget = h3v1.eventHandler(async (event) => {
            await h3v1.readRawBody(event);
            await serve(event);
          });
          router.use(path, forgetsBody ? forget : serve);
        }
      return listen(h3v1.toNodeListener(server.use(router)), closings(handlers));
    },
  },
];

/** What serves at a mount, in the frameworks that have no adapter. */
interface MountedHandler {
  readonly handler: NodeHandler;
  /** Those of the endpoint, and of what stands beside it. */
  readonly paths: readonly string[];
  readonly forgetsBody: boolean;
}

function nodeHandlers(app: App, mounts: readonly Mount[]): MountedHandler[] {
  return mounts.map(({ path, options, documents, forgetsBody = false }) => ({
    handler: nodeHandler(app, options),
    paths: [path, ...documents],
    forgetsBody,
  }));
}

const closings = (handlers: readonly MountedHandler[]): NodeHandler[] =>
  handlers.map(({ handler }) => handler);

function inExpress(server: express.Express, app: App, mounts: readonly Mount[]): Promise<Served> {
  const handlers = mounts.map(({ path, options }) => expressHandler(app, { path, ...options }));
  for (const handler of handlers) server.use(handler);
  return listen(server, handlers);
}

function inKoa(koa: Koa, app: App, mounts: readonly Mount[]): Promise<Served> {
  const handlers = nodeHandlers(app, mounts);
  koa.use((context) => {
    const mounted = handlers.find(({ paths }) => isAmong(paths, context.path));
    if (!mounted) return;
    context.respond = false;
    if (mounted.forgetsBody) mounted.handler(context.req, context.res);
    else mounted.handler(context.req, context.res, context.request.body);
  });
  const callback = koa.callback();
  return listen((request, response) => void callback(request, response), closings(handlers));
}

/** What serves at a mount, and is closed before the server around it. */
interface Closing {
  close(): Promise<void>;
}

async function listen(listener: RequestListener, handlers: readonly Closing[]): Promise<Served> {
  const server = createServer(listener);
  return {
    origin: await started(server),
    async close() {
      await Promise.all(handlers.map((handler) => handler.close()));
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function started(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

import 'reflect-metadata';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { nodeHandler } from '@sigil/http';
import { All, Controller, Module, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import compression from 'compression';
import express from 'express';
import Fastify from 'fastify';
import * as h3 from 'h3';
import * as h3v1 from 'h3-v1';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import type { Framework } from './framework.js';
import { http2Fetch } from './http2-fetch.js';

/** Frameworks on Node's requests and responses, each with `nodeHandler(app)` as its users would write it. */
export const NODE_FRAMEWORKS: readonly Framework[] = [
  {
    name: 'node:http',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const server = await listen((request, response) => {
        if (!forgetsBody) return handler(request, response);
        request.resume().on('end', () => handler(request, response));
      });
      return { ...server, drain: handler.close };
    },
  },
  {
    name: 'node:http2',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const sessions = new Set<ServerHttp2Session>();
      const server = createHttp2Server((request, response) => {
        if (!forgetsBody) return handler(request, response);
        request.resume().on('end', () => handler(request, response));
      });
      server.on('session', (session) => sessions.add(session.on('close', () => sessions.delete(session))));
      const address = await started(server);
      const client = http2Fetch(address);
      return {
        address: `${address}/api/mcp`,
        fetch: client.fetch,
        drain: handler.close,
        async close() {
          client.close();
          for (const session of sessions) session.destroy();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  },
  {
    name: 'Express',
    readsBodies: false,
    async serve(app, options) {
      const handler = nodeHandler(app, options);
      const router = express.Router().all('/mcp', handler);
      return { ...(await listen(express().use('/api', router))), drain: handler.close };
    },
  },
  {
    name: 'Express behind express.json()',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const router = express.Router().all('/mcp', express.json(), (request, response) => {
        if (forgetsBody) delete request.body;
        handler(request, response);
      });
      return { ...(await listen(express().use('/api', router))), drain: handler.close };
    },
  },
  {
    name: 'Express behind compression()',
    readsBodies: false,
    async serve(app, options) {
      const handler = nodeHandler(app, options);
      const compressing = express()
        .use(compression({ threshold: 0 }))
        .all('/api/mcp', handler);
      return { ...(await listen(compressing)), drain: handler.close };
    },
  },
  {
    name: 'Fastify',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const fastify = Fastify({ forceCloseConnections: true });
      await fastify.register(
        (scope, _options, done) => {
          scope.all('/mcp', (request, reply) => {
            reply.hijack();
            if (forgetsBody) handler(request.raw, reply.raw);
            else handler(request.raw, reply.raw, request.body);
          });
          done();
        },
        { prefix: '/api' },
      );
      const address = await fastify.listen({ host: '127.0.0.1', port: 0 });
      return { address: `${address}/api/mcp`, drain: handler.close, close: () => fastify.close() };
    },
  },
  {
    name: 'Koa',
    readsBodies: false,
    async serve(app, options) {
      const handler = nodeHandler(app, options);
      const koa = new Koa().use((context) => {
        context.respond = false;
        handler(context.req, context.res);
      });
      return { ...(await listenInKoa(koa)), drain: handler.close };
    },
  },
  {
    name: 'Koa behind koa-bodyparser',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const koa = new Koa().use(bodyParser()).use((context) => {
        context.respond = false;
        if (forgetsBody) handler(context.req, context.res);
        else handler(context.req, context.res, context.request.body);
      });
      return { ...(await listenInKoa(koa)), drain: handler.close };
    },
  },
  {
    name: 'Nest',
    // Its platform reads JSON bodies, and leaves them on the request.
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);

      @Controller('api')
      class McpController {
        @All('mcp')
        serve(@Req() request: IncomingMessage & { body?: unknown }, @Res() response: ServerResponse): void {
          if (forgetsBody) delete request.body;
          handler(request, response);
        }
      }

      @Module({ controllers: [McpController] })
      class McpModule {}

      const nest = await NestFactory.create(McpModule, { logger: false, forceCloseConnections: true });
      await nest.listen(0, '127.0.0.1');
      const address = `${await nest.getUrl()}/api/mcp`;
      return { address, drain: handler.close, close: () => nest.close() };
    },
  },
  {
    name: 'h3',
    readsBodies: false,
    async serve(app, options) {
      const handler = nodeHandler(app, options);
      const api = new h3.H3().all('/mcp', h3.fromNodeHandler(handler));
      const listener = h3.toNodeHandler(new h3.H3().mount('/api', api));
      return { ...(await listen(listener as RequestListener)), drain: handler.close };
    },
  },
  {
    name: 'h3 1',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = nodeHandler(app, options);
      const api = h3v1.createRouter();
      if (forgetsBody)
        api.use(
          '/api/mcp',
          h3v1.eventHandler(async (event) => {
            await h3v1.readRawBody(event);
            await h3v1.fromNodeMiddleware(handler)(event);
          }),
        );
      else api.use('/api/mcp', h3v1.fromNodeMiddleware(handler));
      return { ...(await listen(h3v1.toNodeListener(h3v1.createApp().use(api)))), drain: handler.close };
    },
  },
];

function listenInKoa(koa: Koa): ReturnType<typeof listen> {
  const callback = koa.callback();
  return listen((request, response) => void callback(request, response));
}

async function listen(
  listener: RequestListener,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer(listener);
  return {
    address: `${await started(server)}/api/mcp`,
    async close() {
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

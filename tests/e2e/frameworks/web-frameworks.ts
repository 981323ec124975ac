import type { AddressInfo } from 'node:net';
import type { App } from '@sigil/core';
import { honoHandler } from '@sigil/hono';
import { fetchHandler } from '@sigil/http/fetch';
import { nextHandlers } from '@sigil/next';
import { serve as serveHono, type ServerType } from '@hono/node-server';
import { Elysia } from 'elysia';
import * as h3 from 'h3';
import { Hono } from 'hono';
import { serve } from 'srvx';
import { isAmong, type Mount } from './contract-app.js';
import type { Served } from './framework.js';
import type { FrameworkHere } from './in-process.js';

/** Frameworks on the web's requests and responses, with our adapters and with `fetchHandler(app)`, each as its users would write it. */
export const WEB_FRAMEWORKS: readonly FrameworkHere[] = [
  {
    name: 'Hono, by @sigil/hono',
    readsBodies: false,
    async serve(app, mounts) {
      const hono = new Hono();
      const handlers = mounts.map(({ path, options }) => honoHandler(app, { path, ...options }));
      for (const handler of handlers) hono.use(handler);
      return inNodeServer(hono, handlers);
    },
  },
  {
    name: 'Hono, by @sigil/hono within applications, behind middleware that reads bodies',
    readsBodies: false,
    async serve(app, mounts) {
      const hono = new Hono().use(async (context, next) => {
        if (context.req.method === 'POST') await context.req.json().catch(() => undefined);
        await next();
      });
      const handlers = mounts.map(({ path, options }) => {
        const [, base = '', below = ''] = /^(\/[^/]+)(\/.+)$/.exec(path) ?? [];
        const handler = honoHandler(app, { path: below, ...options });
        hono.use(handler.documents).route(base, new Hono().use(handler));
        return handler;
      });
      return inNodeServer(hono, handlers);
    },
  },
  {
    name: 'Hono',
    readsBodies: true,
    lacks: { 'a final slash': 'by default, the router treats `/mcp/` and `/mcp` as different paths' },
    async serve(app, mounts) {
      const handlers = fetchHandlers(app, mounts);
      const hono = new Hono();
      for (const { handler, paths, forgetsBody } of handlers)
        for (const path of paths)
          hono.all(path, async (context) => {
            const request = context.req.raw;
            if (forgetsBody) await request.text();
            return handler(request);
          });
      return inNodeServer(
        hono,
        handlers.map(({ handler }) => handler),
      );
    },
  },
  {
    name: 'srvx',
    readsBodies: true,
    serve: (app, mounts) =>
      inSrvx(fetchHandlers(app, mounts), async ({ handler, forgetsBody }, request) => {
        if (forgetsBody) await request.text();
        return handler(request);
      }),
  },
  {
    name: 'h3, with fetchHandler',
    readsBodies: true,
    async serve(app, mounts) {
      const handlers = fetchHandlers(app, mounts);
      const server = new h3.H3();
      for (const { handler, paths, forgetsBody } of handlers)
        for (const path of paths)
          server.all(path, async (event) => {
            if (forgetsBody) await event.req.text();
            return handler(event.req);
          });
      return inSrvx(handlers, (_, request) => server.fetch(request));
    },
  },
  {
    name: 'Elysia',
    readsBodies: false,
    async serve(app, mounts) {
      const handlers = fetchHandlers(app, mounts);
      const elysia = new Elysia();
      for (const { handler, paths } of handlers)
        for (const path of paths) elysia.all(path, ({ request }) => handler(request), { parse: 'none' });
      return inSrvx(handlers, (_, request) => elysia.fetch(request));
    },
  },
  {
    name: 'Next.js route handlers, by @sigil/next',
    readsBodies: false,
    async serve(app, mounts) {
      const routes = mounts.map(({ path, options, documents }) => {
        const handlers = nextHandlers(() => app, options);
        const handler = (request: Request): Promise<Response> =>
          handlers[request.method as 'GET' | 'POST' | 'DELETE' | 'OPTIONS'](request);
        return { handler: Object.assign(handler, handlers), paths: [path, ...documents], forgetsBody: false };
      });
      return inSrvx(routes, ({ handler }, request) => handler(request));
    },
  },
];

/** What serves at a mount, and is closed before the server around it. */
interface Closing {
  close(): Promise<void>;
}

type Handler = ((request: Request) => Promise<Response>) & Closing;

/** What serves at a mount, in the frameworks that have no adapter. */
interface MountedHandler {
  readonly handler: Handler;
  /** Those of the endpoint, and of what stands beside it. */
  readonly paths: readonly string[];
  readonly forgetsBody: boolean;
}

function fetchHandlers(app: App, mounts: readonly Mount[]): MountedHandler[] {
  return mounts.map(({ path, options, documents, forgetsBody = false }) => ({
    handler: fetchHandler(app, options),
    paths: [path, ...documents],
    forgetsBody,
  }));
}

async function inNodeServer(hono: Hono, handlers: readonly Closing[]): Promise<Served> {
  const server = await new Promise<ServerType>((resolve) => {
    const starting = serveHono({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 }, () =>
      resolve(starting),
    );
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      await Promise.all(handlers.map((handler) => handler.close()));
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

async function inSrvx(
  mounted: readonly MountedHandler[],
  fetch: (mounted: MountedHandler, request: Request) => Response | Promise<Response>,
): Promise<Served> {
  const server = serve({
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const found = mounted.find(({ paths }) => isAmong(paths, pathname));
      if (!found) return new Response(null, { status: 404 });
      return fetch(found, request);
    },
    hostname: '127.0.0.1',
    port: 0,
    silent: true,
    gracefulShutdown: false,
  });
  await server.ready();
  return {
    origin: new URL(server.url ?? '').origin,
    async close() {
      await Promise.all(mounted.map(({ handler }) => handler.close()));
      await server.close(true);
    },
  };
}

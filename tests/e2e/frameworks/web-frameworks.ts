import type { AddressInfo } from 'node:net';
import { fetchHandler } from '@sigil/http';
import { serve as serveHono, type ServerType } from '@hono/node-server';
import * as h3 from 'h3';
import { Hono } from 'hono';
import { serve } from 'srvx';
import type { Framework, Served } from './framework.js';

/** Frameworks on the web's requests and responses, each with `fetchHandler(app)` as its users would write it. */
export const WEB_FRAMEWORKS: readonly Framework[] = [
  {
    name: 'srvx',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = fetchHandler(app, options);
      return inSrvx(handler.close, async (request) => {
        if (forgetsBody) await request.text();
        return handler(request);
      });
    },
  },
  {
    name: 'Hono',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = fetchHandler(app, options);
      const hono = new Hono().basePath('/api').all('/mcp', async (context) => {
        const request = context.req.raw;
        if (forgetsBody) await request.text();
        return handler(request);
      });
      const server = await new Promise<ServerType>((resolve) => {
        const starting = serveHono({ fetch: hono.fetch, hostname: '127.0.0.1', port: 0 }, () =>
          resolve(starting),
        );
      });
      const { port } = server.address() as AddressInfo;
      return {
        address: `http://127.0.0.1:${port}/api/mcp`,
        drain: handler.close,
        async close() {
          const closed = new Promise((resolve) => server.close(resolve));
          if ('closeAllConnections' in server) server.closeAllConnections();
          await closed;
        },
      };
    },
  },
  {
    name: 'h3 on the web',
    readsBodies: true,
    async serve(app, options, forgetsBody) {
      const handler = fetchHandler(app, options);
      const h3App = new h3.H3().all('/api/mcp', async (event) => {
        if (forgetsBody) await event.req.text();
        return handler(event.req);
      });
      return inSrvx(handler.close, (request) => h3App.fetch(request));
    },
  },
];

async function inSrvx(
  drain: Served['drain'],
  fetch: (request: Request) => Response | Promise<Response>,
): Promise<Served> {
  const server = serve({ fetch, hostname: '127.0.0.1', port: 0, silent: true, gracefulShutdown: false });
  await server.ready();
  return {
    address: new URL('/api/mcp', server.url).href,
    drain,
    close: () => server.close(true),
  };
}

import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { INestApplication, MiddlewareConsumer } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import { App } from '@sigil/core';
import { SigilModule } from '@sigil/nest';
import type { FastifyInstance } from 'fastify';
import { isAmong, type Mount } from './contract-app.js';
import type { Served } from './framework.js';
import type { FrameworkHere } from './in-process.js';

/** Applications of Nest with `SigilModule`, on each of its platforms. */
export const NEST_MODULES: readonly FrameworkHere[] = [
  {
    name: 'Nest with SigilModule on Express',
    readsBodies: true,
    serve: (app, mounts) =>
      serveEach(mounts, async ({ path, options, forgetsBody = false }) => {
        @Module({})
        class Forgetting {
          configure(consumer: MiddlewareConsumer): void {
            const forget = (request: { body?: unknown }, _response: unknown, next: () => void): void => {
              if (forgetsBody) delete request.body;
              next();
            };
            consumer.apply(forget).forRoutes('*path');
          }
        }

        const nest = (await moduleOf(app, path, options, [Forgetting])).createNestApplication(
          new ExpressAdapter(),
          { logger: false },
        );
        return nest.setGlobalPrefix(prefixOf(path));
      }),
  },
  {
    name: 'Nest with SigilModule on Fastify',
    readsBodies: true,
    lacks: {
      'a final slash': 'new FastifyAdapter({ ignoreTrailingSlash: true }) says that there is none',
    },
    serve: (app, mounts) =>
      serveEach(mounts, async ({ path, options, forgetsBody }) => {
        const adapter = new FastifyAdapter();
        if (forgetsBody)
          (adapter.getInstance() as unknown as FastifyInstance).addHook(
            'preHandler',
            (request, _reply, done) => {
              delete request.body;
              done();
            },
          );
        const nest = (await moduleOf(app, path, options)).createNestApplication(adapter, { logger: false });
        return nest.setGlobalPrefix(prefixOf(path));
      }),
  },
];

const prefixOf = (path: string): string => path.replace(/\/mcp$/, '');

function moduleOf(
  app: App,
  path: string,
  http: Mount['options'],
  others: readonly (new () => object)[] = [],
): Promise<TestingModule> {
  if (!path.endsWith('/mcp')) throw new Error(`${path} does not end as endpoints of Nest do`);
  const imports = [...others, SigilModule.forRoot({ name: 'nest', version: '1.0.0', http })];
  return Test.createTestingModule({ imports }).overrideProvider(App).useValue(app).compile();
}

/** Serves an application for each mount at one address: there is one endpoint in each. */
async function serveEach(
  mounts: readonly Mount[],
  make: (mount: Mount) => Promise<INestApplication>,
): Promise<Served> {
  const served: { readonly paths: readonly string[]; readonly nest: INestApplication }[] = [];
  for (const mount of mounts) {
    const nest = await (await make(mount)).init();
    // Fastify makes its routes ready late.
    await (nest.getHttpAdapter().getInstance() as { ready?(): PromiseLike<unknown> }).ready?.();
    served.push({ paths: [mount.path, ...mount.documents], nest });
  }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const found = served.find(({ paths }) => isAmong(paths, pathname));
    if (found) (found.nest.getHttpServer() as Server).emit('request', request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      // Nest closes once its modules have: what is in flight is finished before.
      for (const { nest } of served) await nest.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

import type { INestApplication, MiddlewareConsumer } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { App } from '@sigil/core';
import { SigilModule } from '@sigil/nest';
import type { FastifyInstance } from 'fastify';
import type { Framework, Served } from './framework.js';

/** Applications of Nest with `SigilModule`, on each of its platforms. */
export const NEST_MODULES: readonly Framework[] = [
  {
    name: 'Nest with SigilModule on Express',
    readsBodies: true,
    async serve(app, http, forgetsBody) {
      @Module({})
      class Forgetting {
        configure(consumer: MiddlewareConsumer): void {
          const forget = (request: { body?: unknown }, _response: unknown, next: () => void): void => {
            if (forgetsBody) delete request.body;
            next();
          };
          consumer.apply(forget).forRoutes('mcp');
        }
      }

      const imports = [Forgetting, SigilModule.forRoot({ name: 'nest', version: '1.0.0', http })];
      const nest = await Test.createTestingModule({ imports }).overrideProvider(App).useValue(app).compile();
      const options = { logger: false, forceCloseConnections: true } as const;
      return served(nest.createNestApplication(new ExpressAdapter(), options));
    },
  },
  {
    name: 'Nest with SigilModule on Fastify',
    readsBodies: true,
    async serve(app, http, forgetsBody) {
      const imports = [SigilModule.forRoot({ name: 'nest', version: '1.0.0', http })];
      const nest = await Test.createTestingModule({ imports }).overrideProvider(App).useValue(app).compile();
      const adapter = new FastifyAdapter({ forceCloseConnections: true });
      if (forgetsBody)
        (adapter.getInstance() as unknown as FastifyInstance).addHook(
          'preHandler',
          (request, _reply, done) => {
            delete request.body;
            done();
          },
        );
      return served(nest.createNestApplication(adapter, { logger: false }));
    },
  },
];

async function served(nest: INestApplication): Promise<Served> {
  nest.setGlobalPrefix('api');
  await nest.listen(0, '127.0.0.1');
  return {
    address: `${await nest.getUrl()}/api/mcp`,
    // Nest closes once its modules have: what is in flight is finished before.
    drain: () => nest.close(),
    close: () => Promise.resolve(),
  };
}

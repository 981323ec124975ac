import 'reflect-metadata';
import { afterEach, expect, test } from '@jest/globals';
import { ContextIdFactory, ModuleRef, NestFactory } from '@nestjs/core';
import { Module, Scope } from '@nestjs/common';
import { type App, createApp, Service, Tool } from '@sigil/core';
import type { Container } from '@sigil/core/extension';
import { connect } from '@sigil/testing';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

@Service()
class Orders {
  @Tool({ description: 'Counts orders' })
  count(): number {
    return 7;
  }
}

@Service()
class Broken {
  @Tool({ description: 'Is never made' })
  fail(): string {
    return 'made';
  }
}

@Module({
  providers: [
    { provide: Orders, scope: Scope.REQUEST, useFactory: () => Promise.resolve(new Orders()) },
    {
      provide: Broken,
      scope: Scope.REQUEST,
      useFactory: () => Promise.reject(new Error('the database is away')),
    },
  ],
})
class OrdersModule {}

async function serveFromNest(logged: unknown[], release: Container['release']): Promise<App> {
  const nest = await NestFactory.createApplicationContext(OrdersModule, { logger: false });
  const modules = nest.get(ModuleRef);
  const container: Container = {
    get: (id, scope) =>
      modules.resolve(id as never, ContextIdFactory.getByRequest(scope?.request ?? {}), { strict: false }),
    ...(release ? { release } : {}),
  };
  const quiet = (): void => undefined;
  const error = (details: unknown): void => void logged.push(details);
  const app = await createApp({
    name: 'nest',
    version: '1.0.0',
    services: [Orders, Broken],
    container,
    logger: { debug: quiet, info: quiet, warn: quiet, error },
  });
  closing.push(
    () => nest.close(),
    () => app.close(),
  );
  return app;
}

test('a request-scoped provider of Nest that cannot be made fails its call, and nothing else', async () => {
  const logged: unknown[] = [];
  const client = await connect(await serveFromNest(logged, undefined));
  closing.push(() => client.close());
  expect(await client.callTool('fail')).toMatchObject({
    isError: true,
    content: [{ text: 'Internal error' }],
  });
  expect(logged).toMatchObject([{ err: { message: 'the database is away' } }]);
  expect(await client.callTool('count')).toMatchObject({ content: [{ text: '7' }] });
});

test('a container that throws when a request has ended answers the request, and logs', async () => {
  const logged: unknown[] = [];
  const app = await serveFromNest(logged, () => {
    throw new Error('no such context');
  });
  const client = await connect(app);
  closing.push(() => client.close());
  expect(await client.callTool('count')).toMatchObject({ content: [{ text: '7' }] });
  expect(logged).toMatchObject([{ err: { message: 'no such context' } }]);
});

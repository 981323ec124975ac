import { expect, test } from '@jest/globals';
import {
  createApp,
  definePrompt,
  defineResource,
  defineTool,
  inject,
  mapError,
  ProtocolError,
  provideFactory,
  Service,
  InjectionToken,
  Tool,
} from '../../src/index.js';
import { appOf, openSession, statelessClient, textOf } from '../harness.js';

/** What query builders give: it runs when it is awaited, and its `then` returns nothing. */
function lazy<T>(run: () => T): Promise<T> {
  const thenable = {
    then(resolve: (value: T) => void, reject: (error: unknown) => void): void {
      try {
        resolve(run());
      } catch (error) {
        reject(error);
      }
    },
  };
  return thenable as unknown as Promise<T>;
}

test('a handler may return what only looks like a promise', async () => {
  const app = await appOf({
    definitions: [
      defineTool({ name: 'count', handle: () => lazy(() => 'three') }),
      definePrompt({ name: 'ask', handle: () => lazy(() => 'Why?') }),
      defineResource({ name: 'row', uri: 'row://it', handle: () => lazy(() => 'a row') }),
    ],
  });
  const client = await openSession(app);
  expect(textOf(await client.call('count'))).toBe('three');
  expect(await client.result('prompts/get', { name: 'ask' })).toMatchObject({
    messages: [{ content: { text: 'Why?' } }],
  });
  expect(await client.result('resources/read', { uri: 'row://it' })).toMatchObject({
    contents: [{ text: 'a row' }],
  });
});

test('a tool whose promised result does not fit its output schema fails, and nothing else does', async () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', listen);
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  try {
    const app = await appOf({
      definitions: [defineTool({ name: 'count', output, handle: () => lazy(() => ({ n: 'x' })) as never })],
    });
    expect(await (await openSession(app)).error('tools/call', { name: 'count' })).toMatchObject({
      code: -32603,
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
  } finally {
    process.off('unhandledRejection', listen);
  }
  expect(unhandled).toEqual([]);
});

test.each([true, false])('a guard may answer %p so, in lists and calls', async (answer) => {
  const app = await appOf({
    definitions: [defineTool({ name: 'closed', guards: [() => lazy(() => answer)], handle: () => 'ran' })],
  });
  const client = statelessClient(app);
  expect(await client.list('tools')).toHaveLength(answer ? 1 : 0);
  if (answer) expect(textOf(await client.call('closed'))).toBe('ran');
  else expect(await client.error('tools/call', { name: 'closed' })).toMatchObject({ code: -32602 });
});

test('middleware may answer so', async () => {
  const app = await appOf({
    middleware: [() => lazy(() => 'instead')],
    definitions: [defineTool({ name: 'any', handle: () => 'ran' })],
  });
  expect(textOf(await (await openSession(app)).call('any'))).toBe('instead');
});

test('an error mapper may answer so', async () => {
  class Gone extends Error {}
  const app = await appOf({
    errors: [mapError(Gone, () => lazy(() => new ProtocolError(-31000, 'It is gone')))],
    definitions: [
      defineResource({
        name: 'row',
        uri: 'row://it',
        handle() {
          throw new Gone();
        },
      }),
    ],
  });
  expect(await (await openSession(app)).error('resources/read', { uri: 'row://it' })).toEqual({
    code: -31000,
    message: 'It is gone',
  });
});

test('a provider may answer so', async () => {
  const POOL = new InjectionToken<{ size: number }>('POOL');
  @Service()
  class Rows {
    readonly pool = inject(POOL);
    @Tool()
    size(): number {
      return this.pool.size;
    }
  }
  const app = await createApp({
    name: 'lazy',
    version: '1.0.0',
    services: [Rows],
    providers: [provideFactory(POOL, { useFactory: () => lazy(() => ({ size: 3 })) })],
  });
  expect(textOf(await (await openSession(app)).call('size'))).toBe('3');
});

test('a guard may answer by a then() that gives nothing back', async () => {
  const later = (done: (allowed: boolean) => void): void => void setTimeout(() => done(true));
  const answer = { then: later } as unknown as Promise<boolean>;
  const app = await appOf({
    definitions: [defineTool({ name: 'open', guards: [() => answer], handle: () => 'ran' })],
  });
  expect(textOf(await statelessClient(app).call('open'))).toBe('ran');
});

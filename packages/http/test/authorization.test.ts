import { describe, expect, test } from '@jest/globals';
import { type App, createApp, DefinitionError, defineTool } from '@sigil/core';
import type { Authorization } from '../src/authentication/index.js';
import { fetchHandler } from '../src/fetch.js';
import { http, type HttpOptions, nodeHandler } from '../src/index.js';
import type { Mounted } from './fixtures/bridges.js';
import { postModern } from './fixtures/messages.js';
import { within } from './fixtures/within.js';

const ping = defineTool({ name: 'ping', handle: () => 'pong' });

/** An app that keeps what is logged as an error. */
async function logging(): Promise<{ app: App; errors: unknown[] }> {
  const errors: unknown[] = [];
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const logger = { ...quiet, error: (details: object | string) => void errors.push(details) };
  return { app: await createApp({ name: 'a', version: '1.0.0', definitions: [ping], logger }), errors };
}

/** What a mistake would give, whatever the types say. */
const giving = (made: unknown): Authorization => Object.assign(() => made) as Authorization;

const MISTAKES: readonly (readonly [what: string, authorization: Authorization, given: string])[] = [
  ['undefined', giving(undefined), 'a value of type undefined'],
  ['null', giving(null), 'null'],
  ['false', giving(false), 'a value of type boolean'],
  ['a principal', giving({ id: 'ada' }), 'a value of type object'],
  ['an empty object', giving({}), 'a value of type object'],
  ['a promise', giving(Promise.resolve({ id: 'ada' })), 'a promise'],
];

const SERVERS: readonly (readonly [of: string, serve: (app: App, options: HttpOptions) => unknown])[] = [
  ['http', (app, options) => app.run(http({ ...options, host: '0.0.0.0', port: 0, handleSignals: false }))],
  ['fetchHandler', fetchHandler],
  ['nodeHandler', nodeHandler],
];

describe.each(SERVERS)('%s', (of, serve) => {
  test.each(MISTAKES)(
    'refuses to serve with an authorization that gives %s',
    async (_what, authorization, given) => {
      const { app } = await logging();
      const served = (async () => serve(app, { authorization }))();
      await expect(served).rejects.toThrow(DefinitionError);
      await expect(served).rejects.toThrow(
        `${of}({ authorization }): it returned ${given}, but must synchronously return an authorizer: an object with the methods authorize, insufficientScope, document`,
      );
      await app.close();
    },
  );

  test('refuses a class as an authorization', async () => {
    const { app } = await logging();
    class Mine {}
    const authorization = Object.assign(Mine) as unknown as Authorization;
    const served = (async () => serve(app, { authorization }))();
    await expect(served).rejects.toThrow(
      `${of}({ authorization }): it must be a result of oauth() from @sigil/auth`,
    );
    await app.close();
  });
});

/** Serves one request. @returns the status of its answer, and what was logged. */
async function statusWith(options: HttpOptions): Promise<{ status: number; errors: unknown[] }> {
  const { app, errors } = await logging();
  const handler = fetchHandler(app, options);
  const mounted: Mounted = {
    send: (init) => handler(new Request('http://localhost/mcp', init)),
    close: () => handler.close(),
  };
  const { status } = await within(postModern(mounted, 'tools/list'));
  await handler.close();
  await app.close();
  return { status, errors };
}

describe('what decides about a request', () => {
  test.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['a principal', { id: 'ada' }],
  ])('lets nobody in when an authorizer decides on %s', async (_what, decision) => {
    const authorizer = {
      authorize: (): unknown => decision,
      insufficientScope: () => ({ status: 403, message: 'no', headers: {} }),
      document: () => undefined,
    };
    const { status, errors } = await statusWith({ authorization: giving(authorizer) });
    expect(status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({
          message: expect.stringContaining('authorize() must return { principal } or { refusal };'),
        }),
      }),
    ]);
  });

  test('is served for the principal that a thenable of authenticate resolves to', async () => {
    // A query that runs when it is awaited: its then() gives no promise.
    const query = { then: (resolve: (principal: unknown) => void): void => resolve({ id: 'ada' }) };
    const { status, errors } = await statusWith({
      authenticate: () => query as unknown as Promise<{ id: string }>,
    });
    expect([status, errors]).toEqual([200, []]);
  });

  test.each([
    ['an id that is too long', { id: 'x'.repeat(1_025) }, 'must have at most 1024 characters, not 1025'],
    ['claims that are a number', { id: 'ada', claims: 5 }, 'the claims of a principal must be an object'],
    ['claims that are a list', { id: 'ada', claims: ['x'] }, 'the claims of a principal must be an object'],
  ])('refuses a principal with %s, and logs it', async (_what, principal, message) => {
    const { status, errors } = await statusWith({
      authenticate: () => principal as unknown as { id: string },
    });
    expect(status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({ message: expect.stringContaining(message) }),
      }),
    ]);
  });
});

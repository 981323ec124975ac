import { describe, expect, test } from '@jest/globals';
import { type App, provide, Tool } from '../../src/index.js';
import type { Container } from '../../src/extension.js';
import { appOf, openSession, problemsOf, textOf } from '../harness.js';

const show = async (app: App, name = 'show'): Promise<unknown> =>
  textOf(await (await openSession(app)).call(name));

describe('a foreign container', () => {
  class Tools {
    constructor(readonly label: string) {}
    @Tool()
    show() {
      return this.label;
    }
  }

  test.each([
    ['now', false],
    ['later', true],
  ])('needs one method, and may answer %s', async (_, later) => {
    const asked: unknown[] = [];
    const container = {
      get: (cls: unknown, scope: unknown) => {
        asked.push([cls, typeof scope]);
        const made = new Tools('foreign');
        return later ? Promise.resolve(made) : made;
      },
    } as Container;
    const app = await appOf({ services: [Tools], container });
    expect(await show(app)).toBe('foreign');
    expect(asked).toEqual([[Tools, 'object']]);
    await app.close();
  });

  test('is told the request and the session, and when they end', async () => {
    const scopes: { request: object; session: object }[] = [];
    const released: object[] = [];
    const closed: string[] = [];
    const container = {
      get: (_cls: unknown, scope: { request: object; session: object }) => {
        scopes.push(scope);
        return new Tools('foreign');
      },
      release: (scope: object) => void released.push(scope),
      close: () => void closed.push('closed'),
    } as Container;
    const app = await appOf({ services: [Tools], container });
    const client = await openSession(app);
    await client.call('show');
    await client.call('show');
    const [first, second] = scopes;
    expect(first?.session).toBe(second?.session);
    expect(first?.request).not.toBe(second?.request);
    expect(released).toEqual(expect.arrayContaining([first?.request, second?.request]));
    expect(released).not.toContain(first?.session);
    await client.close();
    expect(released).toContain(first?.session);
    await app.close();
    expect(closed).toEqual(['closed']);
  });

  test('goes with no providers: they would not be heard', async () => {
    const container = { get: () => new Tools('foreign') } as Container;
    expect(await problemsOf({ services: [Tools], container, providers: [provide('x', 1)] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_INVALID_OPTIONS', where: 'createApp({ container })' }),
    ]);
  });

  test.each([
    [
      'at once',
      () => {
        throw new Error('already gone');
      },
    ],
    ['later', () => Promise.reject(new Error('already gone'))],
  ])(
    'that fails to release a request or a session %s is logged, and the call is answered',
    async (_, release) => {
      const container = { get: () => Promise.resolve(new Tools('foreign')), release } as Container;
      const failures: unknown[] = [];
      const quiet = (): void => undefined;
      const error = (details: unknown): void => void failures.push(details);
      const logger = { debug: quiet, info: quiet, warn: quiet, error };
      const app = await appOf({ services: [Tools], container, logger });
      const client = await openSession(app);
      expect(textOf(await client.call('show'))).toBe('foreign');
      await client.close();
      await app.close();
      expect(failures.length).toBeGreaterThanOrEqual(2);
      expect(failures[0]).toMatchObject({ err: { message: 'already gone' } });
    },
  );

  test('that fails is a masked error of the call', async () => {
    const container = {
      get: () => {
        throw new Error('secret');
      },
    } as Container;
    expect(await show(await appOf({ services: [Tools], container }))).toBe('Internal error');
  });
});

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

  test('that fails is a masked error of the call', async () => {
    const container = {
      get: () => {
        throw new Error('secret');
      },
    } as Container;
    expect(await show(await appOf({ services: [Tools], container }))).toBe('Internal error');
  });
});

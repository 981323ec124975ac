import { describe, expect, test } from '@jest/globals';
import { inject, Service, Tool } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { describePage, textOf } from './guide-page.js';

describePage('services-and-providers', ({ connect, print }) => {
  test('shows services of an app and of a request, a factory, and what begins before the first call', async () => {
    const client = await connect('shop.ts');
    const ordered = await client.callTool({ name: 'order', arguments: { what: 'Tea' } });
    expect(textOf(ordered)).toBe('Order 2');
    const { contents } = await client.readResource({ uri: 'orders://all' });
    expect(contents).toMatchObject([{ text: 'a first order\nTea for anonymous (reader)' }]);
  });

  test('shows a provider that is disposed of when the app ends', async () => {
    // Standard input has ended, so the server does.
    expect(await print('shop.ts')).toContain('The database is closed');
  });
});

describe('what the page says of services', () => {
  test.each([
    ['2025-11-25', ['1 1', '1 2']],
    ['2026-07-28', ['1 1', '2 2']],
  ] as const)('holds for the scopes session and request in %s', async (revision, expected) => {
    const made = { sessions: 0, requests: 0 };

    @Service({ scope: 'session' })
    class Cart {
      readonly number = ++made.sessions;
    }

    @Service({ scope: 'request' })
    class Shop {
      readonly number = ++made.requests;
      readonly cart = inject(Cart);

      @Tool()
      look(): string {
        return `${this.cart.number} ${this.number}`;
      }
    }

    await using server = await testApp({ services: [Shop], client: { revision } });
    const looks = [await server.client.callTool('look'), await server.client.callTool('look')];
    expect(looks.map((result) => textOf(result))).toEqual(expected);
  });

  test('holds for the order in which they begin and end', async () => {
    const steps: string[] = [];

    @Service()
    class Store {
      onInit() {
        steps.push('init store');
      }
      onReady() {
        steps.push('ready store');
      }
      onClose() {
        steps.push('close store');
      }
    }

    @Service()
    class Desk {
      readonly store = inject(Store);
      readonly pool = inject<string>('POOL');

      onInit() {
        steps.push('init desk');
      }
      onReady() {
        steps.push('ready desk');
      }
      onClose() {
        steps.push('close desk');
      }

      @Tool()
      look(): string {
        return this.pool;
      }
    }

    const useFactory = async () => {
      steps.push('pool');
      return 'pool';
    };
    const providers = [{ provide: 'POOL', useFactory, dispose: () => void steps.push('end pool') }];
    const server = await testApp({ services: [Desk], providers });
    expect(steps).toEqual(['pool', 'init store', 'init desk', 'ready store', 'ready desk']);
    await server.close();
    expect(steps.slice(5)).toEqual(['close desk', 'close store', 'end pool']);
  });

  test('holds for a factory that nobody needs', async () => {
    const started: string[] = [];
    const useFactory = () => started.push('unneeded');
    await using _server = await testApp({ providers: [{ provide: 'UNNEEDED', useFactory }] });
    expect(started).toEqual(['unneeded']);
  });
});

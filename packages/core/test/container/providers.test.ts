import { describe, expect, test } from '@jest/globals';
import {
  type App,
  type DefinitionError,
  Inject,
  inject,
  type Provider,
  Service,
  Token,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, openSession, textOf } from '../harness.js';

const NUMBER = new Token<number>('NUMBER');

@Service()
class Holder {
  constructor(@Inject(NUMBER) readonly number: number) {}
  @Tool()
  show() {
    return this.number;
  }
}
const show = async (app: App, name = 'show'): Promise<unknown> =>
  textOf(await (await openSession(app)).call(name));

describe('a provider', () => {
  test.each<[string, Provider]>([
    ['a value', { provide: NUMBER, useValue: 7 }],
    ['a factory', { provide: NUMBER, useFactory: () => 7 }],
    ['an asynchronous factory', { provide: NUMBER, useFactory: () => Promise.resolve(7) }],
    [
      'a factory that needs another service',
      { provide: NUMBER, useFactory: (resolve) => resolve<number[]>('list').length },
    ],
  ])('gives %s', async (_, provider) => {
    const list = { provide: 'list', useValue: [1, 2, 3, 4, 5, 6, 7] };
    expect(await show(await appOf({ services: [Holder], providers: [provider, list] }))).toBe('7');
  });

  test.each([0, '', false, null])('gives a value that is false: %j', async (useValue) => {
    const app = await appOf({ services: [Holder], providers: [{ provide: NUMBER, useValue }] });
    expect(await show(app)).toBe(useValue === null ? undefined : String(useValue));
  });

  test('gives another class in place of one, with its dependencies', async () => {
    class Clock {
      now() {
        return 'real';
      }
    }
    class Zone {
      readonly name = 'UTC';
    }
    @Service()
    class FakeClock extends Clock {
      constructor(private readonly zone: Zone) {
        super();
      }
      override now() {
        return `fake ${this.zone.name}`;
      }
    }
    @Service()
    class Times {
      constructor(private readonly clock: Clock) {}
      @Tool()
      show() {
        return this.clock.now();
      }
    }
    const providers = [{ provide: Clock, useClass: FakeClock }];
    expect(await show(await appOf({ services: [Times], providers }))).toBe('fake UTC');
    expect(await show(await appOf({ services: [Times] }))).toBe('real');
  });

  test('is run once, and awaited before the server starts', async () => {
    let runs = 0;
    const provider: Provider = {
      provide: NUMBER,
      useFactory: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return (runs += 1);
      },
    };
    const app = await appOf({ services: [Holder], providers: [provider] });
    expect(runs).toBe(1);
    expect(await show(app)).toBe('1');
    expect(await show(app)).toBe('1');
  });

  test('that is asynchronous may need another that is, listed before it', async () => {
    const providers: Provider[] = [
      { provide: 'base', useFactory: () => Promise.resolve(3) },
      { provide: NUMBER, useFactory: async (resolve) => resolve<number>('base') * 2 },
    ];
    expect(await show(await appOf({ services: [Holder], providers }))).toBe('6');
  });

  test('never gets the promise of another that is listed after it', async () => {
    const providers: Provider[] = [
      { provide: NUMBER, useFactory: async (resolve) => resolve<number>('base') * 2 },
      { provide: 'base', useFactory: () => Promise.resolve(3) },
    ];
    const refused = (error: DefinitionError) => error.code;
    const outcome = await appOf({ services: [Holder], providers }).then((app) => show(app), refused);
    expect(['6', 'SIGIL_UNRESOLVABLE']).toContain(outcome);
  });

  test('that fails keeps the app from starting, with its own error', async () => {
    const providers: Provider[] = [
      { provide: NUMBER, useFactory: () => Promise.reject(new Error('no database')) },
    ];
    await expect(appOf({ services: [Holder], providers })).rejects.toThrow('no database');
  });

  test('of a request is run once a request', async () => {
    let runs = 0;
    const providers: Provider[] = [{ provide: NUMBER, useFactory: () => (runs += 1), scope: 'request' }];
    class Tools {
      @Tool()
      async show(context: ToolContext) {
        return `${await context.resolve<number>(NUMBER)} ${await context.resolve<number>(NUMBER)}`;
      }
    }
    const app = await appOf({ services: [Tools], providers });
    expect(await show(app)).toBe('1 1');
    expect(await show(app)).toBe('2 2');
  });

  test('reaches field initialisers', async () => {
    class Fields {
      readonly number = inject<number>(NUMBER);
      @Tool()
      show() {
        return this.number;
      }
    }
    const app = await appOf({ services: [Fields], providers: [{ provide: NUMBER, useValue: 9 }] });
    expect(await show(app)).toBe('9');
  });

  test('of one app is unknown to another', async () => {
    const [one, other] = [
      await appOf({ services: [Holder], providers: [{ provide: NUMBER, useValue: 1 }] }),
      await appOf({ services: [Holder], providers: [{ provide: NUMBER, useValue: 2 }] }),
    ];
    expect([await show(one), await show(other)]).toEqual(['1', '2']);
  });
});

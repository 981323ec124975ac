import { describe, expect, test } from '@jest/globals';
import {
  type App,
  Inject,
  inject,
  provide,
  provideFactory,
  type Provider,
  RequestContext,
  Service,
  InjectionToken,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, openSession, problemsOf, textOf } from '../harness.js';

const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
const NUMBER = new InjectionToken<number>('NUMBER');

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
      { provide: NUMBER, inject: ['list'], useFactory: (list: number[]) => list.length },
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
    @Service()
    class Clock {
      now() {
        return 'real';
      }
    }
    @Service()
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

  const BASE = new InjectionToken<number>('BASE');
  test.each<[string, (base: Provider, number: Provider) => Provider[]]>([
    ['before it', (base, number) => [base, number]],
    ['after it', (base, number) => [number, base]],
  ])('that is asynchronous may need another that is, listed %s', async (_, listed) => {
    const base = provideFactory(BASE, { useFactory: () => pause().then(() => 3) });
    const number = provideFactory(NUMBER, {
      inject: [BASE],
      useFactory: async (value) => pause().then(() => value * 2),
    });
    expect(await show(await appOf({ services: [Holder], providers: listed(base, number) }))).toBe('6');
  });

  test('that is asynchronous may be injected by a factory, and by a class that another factory needs', async () => {
    @Service()
    class Table {
      readonly rows = inject(BASE);
    }
    const base = provideFactory(BASE, { useFactory: () => pause().then(() => 3) });
    const inFactory = provideFactory(NUMBER, { useFactory: () => inject(BASE) * 2 });
    const throughClass = provideFactory(NUMBER, { inject: [Table], useFactory: ({ rows }) => rows * 3 });
    expect(await show(await appOf({ services: [Holder], providers: [inFactory, base] }))).toBe('6');
    expect(await show(await appOf({ services: [Holder], providers: [throughClass, base] }))).toBe('9');
  });

  test.each<[string, () => Promise<number>]>([
    ['rejects', () => Promise.reject(new Error('no database'))],
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
  ])('whose factory %s keeps the app from starting, with its name and the cause', async (_, useFactory) => {
    const started = appOf({ services: [Holder], providers: [{ provide: NUMBER, useFactory }] });
    await expect(started).rejects.toMatchObject({
      message: "The provider of token 'NUMBER' failed: no database",
      cause: expect.objectContaining({ message: 'no database' }),
    });
  });

  test('that needs itself through others is a problem that names the circle', async () => {
    const providers = [
      provideFactory(NUMBER, { inject: [BASE], useFactory: (base) => base }),
      provideFactory(BASE, { inject: [NUMBER], useFactory: (number) => number }),
    ];
    expect(await problemsOf({ services: [Holder], providers })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DEPENDENCY_CYCLE',
        where: expect.stringContaining("token 'NUMBER' → token 'BASE' → token 'NUMBER'"),
      }),
    ]);
  });

  test('may stand for another id: one instance under two', async () => {
    abstract class Store {
      abstract rows: number;
    }
    let made = 0;
    @Service()
    class MemoryStore extends Store {
      rows = (made += 1);
    }
    class Tools {
      readonly stores = [inject(Store), inject(MemoryStore)];
      @Tool()
      show() {
        return `${this.stores[0] === this.stores[1]} ${made}`;
      }
    }
    const providers = [{ provide: Store, useExisting: MemoryStore }];
    expect(await show(await appOf({ services: [Tools], providers }))).toBe('true 1');
  });

  test('that stands for nothing is a problem', async () => {
    const providers = [{ provide: NUMBER, useExisting: BASE }];
    expect(await problemsOf({ services: [Holder], providers })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_UNRESOLVABLE',
        where: "token 'NUMBER', which needs token 'BASE'",
      }),
    ]);
  });

  test('that stands for a service of a request is one of a request', async () => {
    @Service({ scope: 'request' })
    class User {}
    @Service()
    class Keeper {
      constructor(@Inject('user') readonly user: object) {}
      @Tool()
      show() {
        return 1;
      }
    }
    const providers = [{ provide: 'user', useExisting: User }];
    expect(await problemsOf({ services: [Keeper], providers })).toEqual([
      expect.objectContaining({ code: 'SIGIL_CAPTIVE_SCOPE', where: 'Keeper' }),
    ]);
  });

  test('ends what it gave with its own dispose, those made last first, values and what nobody asked for too', async () => {
    const gone: string[] = [];
    class Pool {
      destroy() {
        gone.push('never called');
      }
    }
    const app = await appOf({
      services: [Holder],
      providers: [
        provide(NUMBER, 1, { dispose: (value) => gone.push(`value ${value}`) }),
        provideFactory(BASE, { useFactory: () => 2, dispose: (value) => gone.push(`factory ${value}`) }),
        provideFactory(Pool, {
          useFactory: () => Promise.resolve(new Pool()),
          dispose: () => pause().then(() => gone.push('pool')),
        }),
      ],
    });
    await app.close();
    expect(gone).toEqual(['pool', 'factory 2', 'value 1']);
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

  test('of a request may be asynchronous, and is awaited for who injects it', async () => {
    let runs = 0;
    const number = provideFactory(NUMBER, {
      scope: 'request',
      inject: [RequestContext],
      useFactory: async ({ requestId }) => {
        await pause();
        runs += 1;
        return typeof requestId === 'number' ? 7 : 8;
      },
    });
    @Service({ scope: 'request' })
    class Tools {
      readonly field = inject(NUMBER);
      constructor(@Inject(NUMBER) readonly parameter: number) {}
      @Tool()
      show() {
        return `${this.field} ${this.parameter}`;
      }
    }
    const app = await appOf({ services: [Tools], providers: [number] });
    expect([await show(app), runs]).toEqual(['7 7', 1]);
    expect([await show(app), runs]).toEqual(['7 7', 2]);
  });

  test('that is transient and asynchronous cannot be injected, only resolved', async () => {
    const number = provideFactory(NUMBER, { scope: 'transient', useFactory: () => pause().then(() => 7) });
    class Tools {
      @Tool()
      async show(context: ToolContext) {
        return context.resolve(NUMBER);
      }
    }
    expect(await show(await appOf({ services: [Tools], providers: [number] }))).toBe('7');
    const refused = appOf({ services: [Holder], providers: [number] });
    await expect(refused).rejects.toMatchObject({ code: 'SIGIL_UNRESOLVABLE' });
  });

  test('of the app that injects what belongs to a request is a problem', async () => {
    const number = provideFactory(NUMBER, { inject: [RequestContext], useFactory: () => 7 });
    expect(await problemsOf({ services: [Holder], providers: [number] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_CAPTIVE_SCOPE',
        where: "token 'NUMBER'",
        what: expect.stringContaining('the request service RequestContext'),
      }),
    ]);
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

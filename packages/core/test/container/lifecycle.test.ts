import { describe, expect, test } from '@jest/globals';
import {
  inject,
  Inject,
  Optional,
  provide,
  provideFactory,
  type ServiceScope,
  Service,
  InjectionToken,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, openSession, problemsOf, textOf } from '../harness.js';

const pause = (ms = 2) => new Promise((resolve) => setTimeout(resolve, ms));

class One {
  @Tool()
  one() {
    return 1;
  }
}

describe('onInit and onReady', () => {
  test('are awaited in the order of dependencies, all onInit before any onReady, before the app is there', async () => {
    const told: string[] = [];
    class Told {
      get name() {
        return this.constructor.name;
      }
      async onInit() {
        await pause(this.name === 'Database' ? 10 : 1);
        told.push(`${this.name}.onInit`);
      }
      async onReady() {
        await pause(this.name === 'Database' ? 10 : 1);
        told.push(`${this.name}.onReady`);
      }
    }
    @Service()
    class Database extends Told {}
    @Service()
    class Cache extends Told {
      readonly database = inject(Database);
    }
    @Service()
    class Tools extends Told {
      constructor(readonly cache: Cache) {
        super();
      }
      @Tool()
      one() {
        return 1;
      }
    }
    await appOf({ services: [Tools] });
    const order = ['Database', 'Cache', 'Tools'];
    expect(told).toEqual([
      ...order.map((name) => `${name}.onInit`),
      ...order.map((name) => `${name}.onReady`),
    ]);
  });

  test('of what a factory needs are over before the factory runs', async () => {
    const MIGRATED = new InjectionToken<string>('MIGRATED');
    @Service()
    class Migrations {
      done = 'no';
      async onInit() {
        await pause();
        this.done = 'yes';
      }
    }
    class Tools {
      readonly migrated = inject(MIGRATED);
      @Tool()
      show() {
        return this.migrated;
      }
    }
    const providers = [provideFactory(MIGRATED, { inject: [Migrations], useFactory: ({ done }) => done })];
    const client = await openSession(await appOf({ services: [Tools], providers }));
    expect(textOf(await client.call('show'))).toBe('yes');
  });

  test('are called for what factories make, and not for values', async () => {
    const told: string[] = [];
    const hooked = (name: string) => ({ onInit: () => void told.push(name) });
    await appOf({
      services: [One],
      providers: [
        { provide: 'value', useValue: hooked('value') },
        { provide: 'made', useFactory: () => hooked('made') },
        { provide: 'later', useFactory: () => Promise.resolve(hooked('later')) },
      ],
    });
    expect(told).toEqual(['made', 'later']);
  });

  test('and disposal happen once to what several ids give', async () => {
    const told: string[] = [];
    @Service()
    class Store {
      onInit() {
        told.push('init');
      }
      onReady() {
        told.push('ready');
      }
      onClose() {
        told.push('close');
      }
    }
    const providers = [
      { provide: 'alias', useExisting: Store },
      { provide: 'handed on', inject: [Store], useFactory: (store: Store) => store },
    ];
    class Tools {
      readonly stores = [inject('alias'), inject('handed on'), inject(Store)];
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools], providers });
    await app.close();
    expect(told).toEqual(['init', 'ready', 'close']);
  });

  test.each(['onInit', 'onReady'])(
    '%s that fails keeps the app from starting, with its name, and closes the rest',
    async (hook) => {
      const gone: string[] = [];
      @Service()
      class Database {
        onClose() {
          gone.push('database');
        }
      }
      class Tools {
        readonly database = inject(Database);
        @Tool()
        one() {
          return 1;
        }
      }
      const fail = { value: () => Promise.reject(new Error('no table')) };
      Object.defineProperty(Tools.prototype, hook, fail);
      await expect(appOf({ services: [Tools] })).rejects.toMatchObject({
        message: `Tools.${hook} failed: no table`,
        cause: expect.objectContaining({ message: 'no table' }),
      });
      expect(gone).toEqual(['database']);
    },
  );

  test('of what is first asked for in a request are over before the request gets it, for two requests at once too', async () => {
    let runs = 0;
    @Service()
    class Late {
      state = 'new';
      async onInit() {
        runs += 1;
        await pause(10);
        this.state = 'initialised';
      }
      onReady() {
        this.state += ', ready';
      }
    }
    @Service({ scope: 'request' })
    class Helper {
      readonly late = inject(Late);
    }
    class Tools {
      @Tool()
      async show(context: ToolContext) {
        return (await context.resolve(Helper)).late.state;
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    const [first, second] = await Promise.all([client.call('show'), client.call('show')]);
    expect([textOf(first), textOf(second)]).toEqual(['initialised, ready', 'initialised, ready']);
    expect(runs).toBe(1);
  });

  test('that fails in a request is tried again by the next', async () => {
    let runs = 0;
    @Service()
    class Late {
      async onInit() {
        await pause();
        if ((runs += 1) === 1) throw new Error('not yet');
      }
    }
    class Tools {
      @Tool()
      async show(context: ToolContext) {
        await context.resolve(Late);
        return 'there';
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    expect((await client.call('show'))['isError']).toBe(true);
    expect(textOf(await client.call('show'))).toBe('there');
  });

  test.each<ServiceScope>(['request', 'session', 'transient'])(
    'are a problem of a %s service',
    async (scope) => {
      @Service({ scope })
      class User {
        onInit() {
          return 1;
        }
      }
      @Service({ scope })
      class Tools {
        constructor(readonly user: User) {}
        @Tool()
        one() {
          return 1;
        }
      }
      expect(await problemsOf({ services: [Tools] })).toEqual([
        expect.objectContaining({
          code: 'SIGIL_UNAWAITED_HOOK',
          where: 'User.onInit',
          what: expect.stringContaining(`a ${scope} service`),
          fix: expect.stringContaining('singleton'),
        }),
      ]);
    },
  );
});

describe('what may be missing', () => {
  const CACHE = new InjectionToken<{ readonly name: string }>('CACHE');
  @Service()
  class Known {
    readonly name = 'known';
  }
  abstract class Unknown {
    abstract name: string;
  }
  @Service()
  class Tools {
    readonly field = inject(CACHE, { optional: true });
    constructor(
      @Optional() @Inject(CACHE) readonly cache?: { readonly name: string },
      @Optional() readonly known?: Known,
      @Optional() readonly unknown?: Unknown,
    ) {}
    @Tool()
    show() {
      return [this.field, this.cache, this.known, this.unknown].map((found) => found?.name ?? '-').join(' ');
    }
  }

  test('stays undefined where nothing provides it', async () => {
    const client = await openSession(await appOf({ services: [Tools] }));
    expect(textOf(await client.call('show'))).toBe('- - known -');
  });

  test('is injected where something does', async () => {
    const providers = [
      provideFactory(CACHE, { useFactory: () => pause().then(() => ({ name: 'cache' })) }),
      provide(Unknown, { name: 'provided' }),
    ];
    const client = await openSession(await appOf({ services: [Tools], providers }));
    expect(textOf(await client.call('show'))).toBe('cache cache known provided');
  });
});

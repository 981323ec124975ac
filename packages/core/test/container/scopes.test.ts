import { describe, expect, test } from '@jest/globals';
import { Arg, inject, Service, type ServiceScope, Tool, ToolContext } from '../../src/index.js';
import { appOf, clientOf, openSession, problemsOf, statelessClient, textOf } from '../harness.js';

/** A service that counts how often its class was made, and says so. */
function counting(scope: ServiceScope | undefined) {
  const made = { count: 0 };
  @Service(scope === undefined ? {} : { scope })
  class Counter {
    readonly number = (made.count += 1);

    @Tool()
    which() {
      return this.number;
    }
  }
  return { Counter, made };
}

describe('a singleton', () => {
  test('is made once an app, at start', async () => {
    const { Counter, made } = counting('singleton');
    const app = await appOf({ services: [Counter] });
    expect(made.count).toBe(1);
    for (const client of [await openSession(app), await openSession(app), statelessClient(app)]) {
      expect(textOf(await client.call('which'))).toBe('1');
    }
    expect(made.count).toBe(1);
  });

  test('is what a service is unless it says otherwise', async () => {
    class Plain {
      readonly id = {};
      @Tool()
      same(context: ToolContext) {
        return context.resolve(Plain) === this;
      }
    }
    const client = await openSession(await appOf({ services: [Plain] }));
    expect(textOf(await client.call('same'))).toBe('true');
    const { Counter, made } = counting(undefined);
    const other = await openSession(await appOf({ services: [Counter] }));
    await other.call('which');
    expect(made.count).toBe(1);
  });

  test('is not shared by two apps of one process', async () => {
    @Service()
    class Store {
      readonly items: string[] = [];
    }
    @Service()
    class Notes {
      constructor(private readonly store: Store) {}
      @Tool()
      add(@Arg('note') note: string) {
        return this.store.items.push(note);
      }
    }
    const [one, other] = [
      await openSession(await appOf({ services: [Notes] })),
      await openSession(await appOf({ services: [Notes] })),
    ];
    expect(textOf(await one.call('add', { note: 'x' }))).toBe('1');
    expect(textOf(await one.call('add', { note: 'y' }))).toBe('2');
    expect(textOf(await other.call('add', { note: 'z' }))).toBe('1');
  });
});

describe('a session service', () => {
  test('is made once a session, and not at start', async () => {
    const { Counter, made } = counting('session');
    const app = await appOf({ services: [Counter] });
    expect(made.count).toBe(0);
    const [one, other] = [await openSession(app), await openSession(app)];
    for (const [client, number] of [
      [one, '1'],
      [other, '2'],
      [one, '1'],
    ] as const) {
      expect(textOf(await client.call('which'))).toBe(number);
    }
  });

  test('is made once a request where there are no sessions', async () => {
    const { Counter } = counting('session');
    const client = statelessClient(await appOf({ services: [Counter] }));
    expect(textOf(await client.call('which'))).toBe('1');
    expect(textOf(await client.call('which'))).toBe('2');
  });
});

describe('a request service', () => {
  test.each(['2025-11-25', '2026-07-28'])('is made once a request in %s', async (version) => {
    const { Counter } = counting('request');
    @Service({ scope: 'request' })
    class User {
      readonly counter = inject(Counter);
      @Tool()
      async twice(context: ToolContext) {
        const found = await context.resolve(Counter);
        return `${this.counter.number} ${found.number}`;
      }
    }
    const client = await clientOf(await appOf({ services: [User] }), version);
    expect(textOf(await client.call('twice'))).toBe('1 1');
    expect(textOf(await client.call('twice'))).toBe('2 2');
  });
});

describe('a transient service', () => {
  test('is made anew each time it is asked for', async () => {
    const { Counter } = counting('transient');
    class User {
      readonly first = inject(Counter);
      readonly second = inject(Counter);
      @Tool()
      numbers() {
        return `${this.first.number} ${this.second.number}`;
      }
    }
    const client = await openSession(await appOf({ services: [User] }));
    expect(textOf(await client.call('numbers'))).toBe('1 2');
    expect(textOf(await client.call('numbers'))).toBe('1 2');
  });

  test('that has tools is made anew for each call', async () => {
    const { Counter } = counting('transient');
    const client = await openSession(await appOf({ services: [Counter] }));
    expect(textOf(await client.call('which'))).toBe('1');
    expect(textOf(await client.call('which'))).toBe('2');
  });
});

describe('injection', () => {
  test('goes by the types of the constructor, through as many services as it takes', async () => {
    @Service()
    class Clock {
      now() {
        return 12;
      }
    }
    @Service()
    class Repository {
      constructor(readonly clock: Clock) {}
    }
    @Service()
    class Times {
      constructor(
        private readonly repository: Repository,
        private readonly clock: Clock,
      ) {}
      @Tool()
      now() {
        return this.repository.clock === this.clock ? this.clock.now() : 0;
      }
    }
    const client = await openSession(await appOf({ services: [Times] }));
    expect(textOf(await client.call('now'))).toBe('12');
  });

  test('in a field initialiser needs no metadata', async () => {
    @Service()
    class Clock {
      now() {
        return 12;
      }
    }
    class Times {
      readonly #clock = inject(Clock);
      @Tool()
      now() {
        return this.#clock.now();
      }
    }
    const client = await openSession(await appOf({ services: [Times] }));
    expect(textOf(await client.call('now'))).toBe('12');
  });

  test('outside a construction is refused with the reason', () => {
    class Clock {}
    expect(() => inject(Clock)).toThrow('inject() only works while the container creates a service:');
  });

  test('goes by the constructor of a base class when a subclass has none', async () => {
    @Service()
    class Clock {
      now() {
        return 12;
      }
    }
    @Service()
    class Base {
      constructor(protected readonly clock: Clock) {}
    }
    @Service()
    class Times extends Base {
      @Tool()
      now() {
        return this.clock.now();
      }
    }
    const client = await openSession(await appOf({ services: [Times] }));
    expect(textOf(await client.call('now'))).toBe('12');
  });

  test('leaves a parameter with a default to the author', async () => {
    @Service()
    class Times {
      constructor(private readonly step: number = 3) {}
      @Tool()
      now() {
        return this.step;
      }
    }
    const client = await openSession(await appOf({ services: [Times] }));
    expect(textOf(await client.call('now'))).toBe('3');
  });

  test('lets a constructor that throws fail the start with its own error', async () => {
    class Broken {
      constructor() {
        throw new Error('no database');
      }
      @Tool()
      one() {
        return 1;
      }
    }
    await expect(problemsOf({ services: [Broken] })).rejects.toThrow('no database');
  });
});

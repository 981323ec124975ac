import { describe, expect, test } from '@jest/globals';
import {
  Inject,
  inject,
  provide,
  provideFactory,
  type ServiceScope,
  Service,
  InjectionToken,
  Tool,
} from '../../src/index.js';
import { appOf, definitionError, openSession, problemsOf, textOf } from '../harness.js';

describe('SIGIL_MISSING_METADATA of a constructor', () => {
  test('names the class and the parameter', async () => {
    class Clock {}
    class Times {
      constructor(readonly clock: Clock) {}
      @Tool()
      now() {
        return 1;
      }
    }
    expect(await problemsOf({ services: [Times] })).toEqual([
      {
        code: 'SIGIL_MISSING_METADATA',
        where: 'Times, constructor parameter 0',
        what: expect.stringContaining('no decorator metadata'),
        fix: expect.stringContaining('decorate Times with @Service()'),
      },
    ]);
  });

  test('is found in what a service depends on', async () => {
    class Zone {}
    class Clock {
      constructor(readonly zone: Zone) {}
    }
    // As a call: builds without metadata emit none for a decorator either.
    Service()(Clock);
    @Service()
    class Times {
      constructor(readonly clock: Clock) {}
      @Tool()
      now() {
        return 1;
      }
    }
    expect(await problemsOf({ services: [Times] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_MISSING_METADATA', where: 'Clock, constructor parameter 0' }),
    ]);
  });
});

describe('SIGIL_ERASED_TYPE of a constructor', () => {
  test.each([
    ['Object', Object],
    ['Function', Function],
    ['String', String],
    ['undefined', undefined],
  ])('names the parameter whose emitted type is %s', async (_, emitted) => {
    @Service()
    class Clock {}
    @Service()
    class Times {
      constructor(
        readonly clock: Clock,
        readonly other: object,
      ) {}
      @Tool()
      now() {
        return 1;
      }
    }
    Reflect.defineMetadata('design:paramtypes', [Clock, emitted], Times);
    expect(await problemsOf({ services: [Times] })).toEqual([
      {
        code: 'SIGIL_ERASED_TYPE',
        where: 'Times, constructor parameter 1',
        what: expect.stringContaining('not a class at run time'),
        fix: expect.stringMatching(/import \{ X \}.*@Inject\(TOKEN\)/),
      },
    ]);
  });
});

describe('SIGIL_UNRESOLVABLE', () => {
  test.each<[string, InjectionToken<string> | string, string]>([
    ['a token', new InjectionToken<string>('GREETING'), "token 'GREETING'"],
    ['a name', 'graph.greeting', "'graph.greeting'"],
  ])('names %s that nobody provides, and who needs it', async (_, id, name) => {
    @Service()
    class Greetings {
      constructor(@Inject(id as string) readonly text: string) {}
      @Tool()
      greet() {
        return this.text;
      }
    }
    expect(await problemsOf({ services: [Greetings] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_UNRESOLVABLE',
        where: `Greetings, which needs ${name}`,
        fix: expect.stringContaining('providers'),
      }),
    ]);
  });

  test('does not arise when the app provides it', async () => {
    const GREETING = new InjectionToken<string>('GREETING');
    @Service()
    class Greetings {
      constructor(@Inject(GREETING) readonly text: string) {}
      @Tool()
      greet() {
        return this.text;
      }
    }
    const providers = [{ provide: GREETING, useValue: 'hello' }];
    const client = await openSession(await appOf({ services: [Greetings], providers }));
    expect(textOf(await client.call('greet'))).toBe('hello');
  });

  test.each(['a constructor', 'a factory'])(
    'arises for a class without @Service that %s needs: it may be abstract',
    async (by) => {
      abstract class Repository {
        abstract find(): string;
      }
      const TEXT = new InjectionToken<string>('TEXT');
      @Service()
      class Finder {
        constructor(readonly repository: Repository) {}
        @Tool()
        find() {
          return this.repository.find();
        }
      }
      class Plain {
        @Tool()
        one() {
          return 1;
        }
      }
      const providers = [provideFactory(TEXT, { inject: [Repository], useFactory: (held) => held.find() })];
      const options = by === 'a factory' ? { services: [Plain], providers } : { services: [Finder] };
      expect(await problemsOf(options)).toEqual([
        {
          code: 'SIGIL_UNRESOLVABLE',
          where:
            by === 'a factory' ? "token 'TEXT', which needs Repository" : 'Finder, which needs Repository',
          what: expect.stringContaining('the container cannot create'),
          fix: expect.stringMatching(/@Service\(\).*abstract.*provide: Repository/),
        },
      ]);
      const provided = [...providers, provide(Repository, { find: () => 'found' })];
      const client = await openSession(await appOf({ services: [Finder], providers: provided }));
      expect(textOf(await client.call('find'))).toBe('found');
    },
  );

  test('arises for a class without @Service that is asked for later', async () => {
    abstract class Repository {}
    class Tools {
      readonly repository = inject(Repository);
      @Tool()
      one() {
        return 1;
      }
    }
    expect((await definitionError({ services: [Tools] })).code).toBe('SIGIL_UNRESOLVABLE');
    await expect((await appOf({})).get(Repository)).rejects.toMatchObject({ code: 'SIGIL_UNRESOLVABLE' });
  });

  test('arises for a token asked for by a field initialiser', async () => {
    const MISSING = new InjectionToken<string>('MISSING');
    class Greetings {
      readonly text = inject<string>(MISSING);
      @Tool()
      greet() {
        return this.text;
      }
    }
    const error = await definitionError({ services: [Greetings] });
    expect(error.code).toBe('SIGIL_UNRESOLVABLE');
    expect(error.message).toContain("Greetings → token 'MISSING'");
  });
});

describe('SIGIL_CAPTIVE_SCOPE', () => {
  const ORDER: readonly ServiceScope[] = ['request', 'session', 'singleton'];
  const pairs = ORDER.flatMap((held) => ORDER.map((holder) => [holder, held] as const));

  test.each(pairs)('is judged by lifetimes: a %s service that needs a %s service', async (holder, held) => {
    @Service({ scope: held })
    class Held {}
    @Service({ scope: holder })
    class Holder {
      constructor(readonly held: Held) {}
      @Tool()
      one() {
        return 1;
      }
    }
    const isCaptive = ORDER.indexOf(held) < ORDER.indexOf(holder);
    if (!isCaptive) return void (await appOf({ services: [Holder] }));
    expect(await problemsOf({ services: [Holder] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_CAPTIVE_SCOPE',
        where: 'Holder',
        what: `a ${holder} service would share the ${held} service Held between all clients`,
        fix: expect.stringContaining(`to '${held}'`),
      }),
    ]);
  });

  test('is found through a transient service', async () => {
    @Service({ scope: 'request' })
    class User {}
    @Service({ scope: 'transient' })
    class Helper {
      constructor(readonly user: User) {}
    }
    @Service()
    class Holder {
      constructor(readonly helper: Helper) {}
      @Tool()
      one() {
        return 1;
      }
    }
    expect((await definitionError({ services: [Holder] })).code).toBe('SIGIL_CAPTIVE_SCOPE');
  });

  test('is found through a field initialiser', async () => {
    @Service({ scope: 'request' })
    class User {}
    class Holder {
      readonly user = inject(User);
      @Tool()
      one() {
        return 1;
      }
    }
    expect((await definitionError({ services: [Holder] })).code).toBe('SIGIL_CAPTIVE_SCOPE');
  });
});

describe('SIGIL_DEPENDENCY_CYCLE', () => {
  test('names the way round', async () => {
    @Service()
    class Hen {
      constructor(readonly egg: object) {}
      @Tool()
      lay() {
        return 1;
      }
    }
    @Service()
    class Egg {
      constructor(readonly hen: Hen) {}
    }
    Reflect.defineMetadata('design:paramtypes', [Egg], Hen);
    expect(await problemsOf({ services: [Hen] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DEPENDENCY_CYCLE',
        where: 'Hen → Egg → Hen',
        fix: expect.stringContaining('a third service'),
      }),
    ]);
  });

  test('is found through field initialisers', async () => {
    class Hen {
      readonly egg: object = inject(Egg);
      @Tool()
      lay() {
        return 1;
      }
    }
    @Service()
    class Egg {
      readonly hen = inject(Hen);
    }
    const error = await definitionError({ services: [Hen] });
    expect(error.code).toBe('SIGIL_DEPENDENCY_CYCLE');
    expect(error.message).toContain('Hen → Egg → Hen');
  });

  test('is not what two ways to one service are', async () => {
    @Service()
    class Base {}
    @Service()
    class Left {
      constructor(readonly base: Base) {}
    }
    @Service()
    class Right {
      constructor(readonly base: Base) {}
    }
    @Service()
    class Top {
      constructor(
        readonly left: Left,
        readonly right: Right,
      ) {}
      @Tool()
      same() {
        return this.left.base === this.right.base;
      }
    }
    const client = await openSession(await appOf({ services: [Top] }));
    expect(textOf(await client.call('same'))).toBe('true');
  });
});

test('everything wrong with the graph and the definitions is told at once', async () => {
  class Clock {}
  class Times {
    constructor(readonly clock: Clock) {}
    @Tool({ name: 'a b' })
    now() {
      return 1;
    }
  }
  @Service()
  class Greetings {
    constructor(@Inject('graph.missing') readonly text: string) {}
    @Tool()
    greet() {
      return 1;
    }
  }
  const codes = (await problemsOf({ services: [Times, Greetings] })).map(({ code }) => code);
  expect(codes.sort()).toEqual(['SIGIL_INVALID_NAME', 'SIGIL_MISSING_METADATA', 'SIGIL_UNRESOLVABLE']);
});

import { describe, expect, test } from '@jest/globals';
import {
  App,
  defineTool,
  type Guard,
  inject,
  type Principal,
  PRINCIPAL,
  PromptContext,
  provide,
  RequestContext,
  type RequestInfo,
  type ServiceScope,
  Service,
  InjectionToken,
  Tool,
  ToolContext,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import { TypediContainer } from '../../src/container/typedi.js';
import { MemoryLimiter } from '../../src/memory/memory-limiter.js';
import { builtIns } from '../../src/server/built-ins.js';
import { watchHooks } from '../../src/server/hook-watch.js';
import {
  appOf,
  clientOf,
  definitionError,
  openSession,
  problemsOf,
  recordingLogger,
  settled,
  textOf,
} from '../harness.js';

describe('app.get', () => {
  test('gives what handlers get, by class, token and name', async () => {
    const LIMIT = new InjectionToken<number>('LIMIT');
    class Tools {
      calls = 0;
      @Tool()
      count() {
        return (this.calls += 1);
      }
    }
    const providers = [provide(LIMIT, 3), { provide: 'name', useValue: 'x' }];
    const app = await appOf({ services: [Tools], providers });
    await (await openSession(app)).call('count');
    const tools: Tools = await app.get(Tools);
    const limit: number = await app.get(LIMIT);
    expect([tools.calls, limit, await app.get('name')]).toEqual([1, 3, 'x']);
  });

  test.each<ServiceScope>(['request', 'session'])('refuses a %s service', async (scope) => {
    @Service({ scope })
    class User {}
    await expect((await appOf({})).get(User)).rejects.toMatchObject({ code: 'SIGIL_CAPTIVE_SCOPE' });
  });

  test('refuses what nothing makes', async () => {
    await expect((await appOf({})).get(new InjectionToken('NOTHING'))).rejects.toMatchObject({
      code: 'SIGIL_UNRESOLVABLE',
    });
  });
});

describe('a service that injects App', () => {
  test('may announce changes and add tools in onInit, onReady and handlers', async () => {
    class Tools {
      private readonly app = inject(App);
      onInit() {
        this.app.tools.add(defineTool({ name: 'from_init', handle: () => 'init' }));
      }
      onReady() {
        this.app.tools.add(defineTool({ name: 'from_ready', handle: () => 'ready' }));
      }
      @Tool()
      grow() {
        this.app.tools.add(defineTool({ name: 'from_handler', handle: () => 'handler' }));
        this.app.notifyResourceUpdated('x://y');
        return 'grown';
      }
    }
    const app = await appOf({ services: [Tools] });
    const client = await openSession(app);
    await client.result('resources/subscribe', { uri: 'x://y' }).catch(() => undefined);
    await client.call('grow');
    expect(app.tools.keys()).toEqual(['grow', 'from_init', 'from_ready', 'from_handler']);
    expect(textOf(await client.call('from_handler'))).toBe('handler');
    await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
    await app.close();
  });
});

describe('a service of a request', () => {
  @Service({ scope: 'request' })
  class CurrentUser {
    readonly principal = inject(PRINCIPAL);
    constructor(readonly context: RequestContext) {}
  }
  @Service({ scope: 'request' })
  class Tools {
    constructor(
      private readonly user: CurrentUser,
      private readonly context: ToolContext,
    ) {}
    @Tool()
    whoami() {
      const same = this.user.context === this.context && inContext(this.context);
      return `${this.user.principal?.id ?? 'nobody'} ${same} ${this.context.principal?.id ?? 'nobody'}`;
    }
  }
  const inContext = (context: RequestContext) => context instanceof RequestContext;

  test.each(['2025-11-25', '2026-07-28'])('injects the principal and the context, in %s', async (version) => {
    const app = await appOf({ services: [Tools] });
    const principal: Principal = { id: 'ada' };
    const [ada, nobody] = [
      await clientOf(app, version, { requestInfo: { principal } }),
      await clientOf(app, version),
    ];
    expect(textOf(await ada.call('whoami'))).toBe('ada true ada');
    expect(textOf(await nobody.call('whoami'))).toBe('nobody true nobody');
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'gets the very context that guards, middleware and the handler get, in %s',
    async (version) => {
      const seen: unknown[] = [];
      @Service({ scope: 'request' })
      class Audit {
        readonly principal = inject(PRINCIPAL);
        constructor(readonly context: RequestContext) {
          seen.push(context);
        }
      }
      @Service({ scope: 'request' })
      class Orders {
        constructor(private readonly audit: Audit) {}
        @Tool()
        @UseGuards((access) => seen.push(access) > 0)
        @UseMiddleware((context, next) => {
          seen.push(context);
          return next();
        })
        place(context: ToolContext) {
          seen.push(context, this.audit.context);
          return `${this.audit.context.definition.kind} ${this.audit.principal?.id} ${context.tool}`;
        }
      }
      const app = await appOf({ services: [Orders] });
      const client = await clientOf(app, version, { requestInfo: { principal: { id: 'ada' } } });
      expect(textOf(await client.call('place'))).toBe('tool ada place');
      expect(seen).toHaveLength(5);
      expect(new Set(seen).size).toBe(1);
    },
  );

  test.each(['2025-11-25', '2026-07-28'])(
    'gets a context of the kind "list" where definitions are listed, in %s',
    async (version) => {
      const seen: unknown[] = [];
      @Service({ scope: 'request' })
      class OnlyAda implements Guard {
        readonly principal = inject(PRINCIPAL);
        constructor(readonly context: RequestContext) {}
        allows() {
          seen.push({ ...this.context.definition, method: this.context.method });
          return this.principal?.id === 'ada';
        }
      }
      const tool = (name: string) => defineTool({ name, handle: () => name, guards: [OnlyAda] });
      const app = await appOf({ definitions: [tool('one'), tool('two')] });
      const listed = async (requestInfo: RequestInfo) =>
        (await clientOf(app, version, { requestInfo })).list('tools');
      expect(await listed({ principal: { id: 'ada' } })).toHaveLength(2);
      expect(await listed({ principal: { id: 'eve' } })).toHaveLength(0);
      expect(seen).toEqual(
        Array.from({ length: 4 }, () => ({
          kind: 'list',
          name: 'tools/list',
          metadata: {},
          method: 'tools/list',
        })),
      );
    },
  );

  test('gets the context of its scope where the scope has one', async () => {
    const container = new TypediContainer(
      builtIns(() => ({}) as App, new MemoryLimiter()),
      watchHooks(recordingLogger()),
    );
    const context = { principal: { id: 'ada' } };
    const request = {};
    const scope = { request, session: request, context: () => context };
    expect(await container.get(RequestContext, scope)).toBe(context);
    expect(await container.get(PromptContext, scope)).toBe(context);
    expect(await container.get(PRINCIPAL, scope)).toBe(context.principal);
  });

  test('is what a singleton with the context is told to become', async () => {
    @Service()
    class Holder {
      constructor(readonly context: RequestContext) {}
      @Tool()
      one() {
        return 1;
      }
    }
    expect(await problemsOf({ services: [Holder] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_CAPTIVE_SCOPE',
        where: 'Holder',
        what: expect.stringContaining('RequestContext'),
        fix: expect.stringContaining("to 'request'"),
      }),
    ]);
    class Fields {
      readonly principal = inject(PRINCIPAL);
      @Tool()
      one() {
        return 1;
      }
    }
    expect((await definitionError({ services: [Fields] })).code).toBe('SIGIL_CAPTIVE_SCOPE');
    await settled();
  });
});

test('tokens tell the types of what they name', async () => {
  const WORDS = new InjectionToken<readonly string[]>('WORDS');
  class Tools {
    private readonly words = inject(WORDS);
    @Tool()
    async longest(context: ToolContext) {
      const again = await context.resolve(WORDS);
      return Math.max(...again.map((word) => word.length), ...this.words.map(({ length }) => length));
    }
  }
  // @ts-expect-error a number is no list of words
  provide(WORDS, 5);
  const app = await appOf({ services: [Tools], providers: [provide(WORDS, ['a', 'bcd'])] });
  expect(textOf(await (await openSession(app)).call('longest'))).toBe('3');
});

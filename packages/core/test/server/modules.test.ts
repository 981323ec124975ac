import { manifestOf } from '../../src/manifest.js';
import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  App,
  Ui,
  Arg,
  Complete,
  defineCompletion,
  defineModule,
  definePrompt,
  defineResource,
  defineTool,
  inject,
  mapError,
  type Module,
  type ModuleOptions,
  Param,
  PRINCIPAL,
  Prompt,
  provide,
  RequestContext,
  Resource,
  Service,
  InjectionToken,
  Tool,
  UiResource,
  UseGuards,
  UseMiddleware,
} from '../../src/index.js';
import { appOf, openSession, problemsOf, silentLogger, textOf, type Json } from '../harness.js';
import { Diagnostics } from '../../src/errors/errors.js';
import { collect } from '../../src/server/collect.js';

const tool = (name: string, handle: () => unknown = () => name) => defineTool({ name, handle });
const names = (entries: readonly Json[]) => entries.map(({ name }) => name);

describe('a module', () => {
  test('serves its services, definitions and what it imports, each once', async () => {
    class Tickets {
      @Tool()
      createTicket() {
        return 'created';
      }
    }
    const shared = defineModule({ definitions: [tool('shared')] });
    const tickets = defineModule({ services: [Tickets], imports: [shared] });
    const orders = defineModule({ definitions: [tool('order')], imports: [shared, tickets] });
    const app = await appOf({ definitions: [tool('own')], modules: [orders, tickets, shared] });
    const client = await openSession(app);
    expect(names(await client.list('tools'))).toEqual(['own', 'shared', 'create_ticket', 'order']);
    expect(textOf(await client.call('create_ticket'))).toBe('created');
  });

  test('stands in the order app, module, class, method with its guards and middleware', async () => {
    const order: string[] = [];
    const guard = (name: string) => () => order.push(`guard of the ${name}`) > 0;
    const step = (name: string) => async (_: RequestContext, next: () => Promise<unknown>) => {
      order.push(`${name} in`);
      return next();
    };
    @UseGuards(guard('class'))
    @UseMiddleware(step('class'))
    class Tickets {
      @UseGuards(guard('method'))
      @UseMiddleware(step('method'))
      @Tool()
      create() {
        order.push('handler');
        return 1;
      }
    }
    const tickets = defineModule({
      services: [Tickets],
      guards: [guard('module')],
      middleware: [step('module')],
    });
    const app = await appOf({ modules: [tickets], guards: [guard('app')], middleware: [step('app')] });
    await (await openSession(app)).call('create');
    const places = ['app', 'module', 'class', 'method'];
    expect(order).toEqual([
      ...places.map((place) => `guard of the ${place}`),
      ...places.map((place) => `${place} in`),
      'handler',
    ]);
  });

  test('keeps its policies to itself: not for the app, nor for what it imports or who imports it', async () => {
    const closed = defineModule({ definitions: [tool('closed')], guards: [() => false] });
    const inner = defineModule({ definitions: [tool('inner')] });
    const outer = defineModule({
      definitions: [tool('outer')],
      imports: [closed, inner],
      guards: [() => true],
    });
    const importing = defineModule({ definitions: [tool('shut')], imports: [inner], guards: [() => false] });
    const app = await appOf({ definitions: [tool('own')], modules: [outer, importing] });
    expect(names(await (await openSession(app)).list('tools'))).toEqual(['own', 'inner', 'outer']);
  });

  test('puts its error mappers between those of the class and those of the app', async () => {
    const mapper = (name: string) => mapError(Error, () => name);
    const definition = defineTool({ name: 'x', handle: () => 1, errors: [mapper('definition')] });
    const modules = [defineModule({ definitions: [definition], errors: [mapper('module')] })];
    const options = { name: 'test', version: '1', modules, errors: [mapper('app')] };
    const { declarations } = await collect(options, new Diagnostics(), silentLogger, undefined);
    const order = declarations[0]?.errors.map((one) => one.map(new Error('x')));
    expect(order).toEqual(['definition', 'module', 'app']);
  });

  test('has its guard classes made by the container, with what its providers give', async () => {
    const ALLOWED = new InjectionToken<string>('ALLOWED');
    class OnlyAllowed {
      readonly allowed = inject(ALLOWED);
      allows({ definition }: GuardContext) {
        return definition.name === this.allowed;
      }
    }
    const modules = [
      defineModule({
        definitions: [tool('one'), tool('two')],
        guards: [OnlyAllowed],
        providers: [provide(ALLOWED, 'two')],
      }),
    ];
    expect(names(await (await openSession(await appOf({ modules }))).list('tools'))).toEqual(['two']);
  });

  test('brings extensions along, each once', async () => {
    let made = 0;
    const extension = () => {
      made += 1;
      return { id: 'com.example/x', settings: () => ({}), inSessions: true };
    };
    const one = defineModule({ extensions: [extension], definitions: [tool('one')] });
    const two = defineModule({ extensions: [extension], imports: [one] });
    const app = await appOf({ modules: [two], extensions: [extension] });
    expect(made).toBe(1);
    expect(manifestOf(app).capabilities).toMatchObject({ extensions: { 'com.example/x': {} } });
  });
});

describe('the prefix of a module', () => {
  class Helpdesk {
    @Tool()
    createTicket() {
      return 'created';
    }
    @Tool({ name: 'close' })
    closeTicket() {
      return 'closed';
    }
    @Prompt()
    summarize(@Arg('topic') topic: string) {
      return topic;
    }
    @Complete('summarize', 'topic')
    topics(prefix: string) {
      return [`${prefix}-topic`];
    }
    @Resource('tickets://{id}')
    ticket(@Param('id') id: string, context: RequestContext) {
      return `${id} ${context.client.protocolVersion}`;
    }
    @Complete('tickets://{id}', 'id')
    ids(prefix: string) {
      return [`${prefix}-id`];
    }
    @UiResource('ui://helpdesk/view.html', { name: 'view' })
    view() {
      return '<p>';
    }
    @Tool()
    @Ui('ui://helpdesk/view.html')
    show() {
      return 1;
    }
  }
  const helpdesk = defineModule({
    prefix: 'helpdesk',
    services: [Helpdesk],
    definitions: [
      tool('late'),
      definePrompt({
        name: 'ask',
        input: { type: 'object', properties: { of: { type: 'string' } } },
        handle: () => 'x',
      }),
      defineCompletion({ ref: 'ask', argument: 'of', handle: () => ['whom'] }),
    ],
  });
  const started = appOf({ modules: [helpdesk] });

  test('begins the names of tools and prompts', async () => {
    const client = await openSession(await started);
    expect(names(await client.list('tools'))).toEqual([
      'helpdesk_create_ticket',
      'helpdesk_close',
      'helpdesk_show',
      'helpdesk_late',
    ]);
    expect(names(await client.list('prompts'))).toEqual(['helpdesk_summarize', 'helpdesk_ask']);
    expect(textOf(await client.call('helpdesk_create_ticket'))).toBe('created');
    expect(await client.error('tools/call', { name: 'create_ticket' })).toMatchObject({ code: -32602 });
  });

  test('is the first segment of URIs and URI templates, those of UIs aside', async () => {
    const client = await openSession(await started);
    const [template] = await client.list('resourceTemplates');
    expect(template).toMatchObject({ uriTemplate: 'tickets://helpdesk/{id}', name: 'ticket' });
    const { contents } = await client.result('resources/read', { uri: 'tickets://helpdesk/7' });
    expect(contents).toMatchObject([{ uri: 'tickets://helpdesk/7', text: '7 2025-11-25' }]);
    expect((await client.list('resources')).map(({ uri }) => uri)).toEqual(['ui://helpdesk/view.html']);
  });

  test('is left out where completions name what they complete', async () => {
    const client = await openSession(await started);
    const complete = async (ref: Json, name: string) =>
      await client.result('completion/complete', { ref, argument: { name, value: 'a' } });
    const prompt = await complete({ type: 'ref/prompt', name: 'helpdesk_summarize' }, 'topic');
    expect(prompt).toMatchObject({ completion: { values: ['a-topic'] } });
    const template = await complete({ type: 'ref/resource', uri: 'tickets://helpdesk/{id}' }, 'id');
    expect(template).toMatchObject({ completion: { values: ['a-id'] } });
    const defined = await complete({ type: 'ref/prompt', name: 'helpdesk_ask' }, 'of');
    expect(defined).toMatchObject({ completion: { values: ['whom'] } });
  });

  test.each([
    ['tickets://{id}', 'tickets://help/{id}'],
    ['tickets://open', 'tickets://help/open'],
    ['tickets://{?status}', 'tickets://help{?status}'],
    ['tickets://{/path*}', 'tickets://help{/path*}'],
    ['db:///tables/{name}', 'db:///help/tables/{name}'],
    ['config:app', 'config:help/app'],
    ['https://example.com/{page}', 'https://example.com/{page}'],
    ['file:///etc/{name}', 'file:///etc/{name}'],
  ])('makes %s into %s', async (uri, expected) => {
    const input = { type: 'object' };
    const module = defineModule({
      prefix: 'help',
      definitions: [defineResource({ uri, name: 'x', input, handle: () => 'x' })],
    });
    expect((await appOf({ modules: [module] })).resources.keys()).toEqual([expected]);
  });

  test.each(['', 'a b', 'a/b', 'é', 7 as unknown as string])('is refused when it is %j', async (prefix) => {
    expect(await problemsOf({ modules: [defineModule({ name: 'odd', prefix })] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_OPTIONS',
        where: "defineModule({ prefix }) of module 'odd'",
      }),
    ]);
  });
});

describe('two modules', () => {
  const pair = (one: ModuleOptions, two: ModuleOptions) => ({
    modules: [defineModule({ name: 'one', ...one }), defineModule({ name: 'two', ...two })],
  });

  test('with a definition of the same name are a problem that names both', async () => {
    class Tickets {
      @Tool()
      create() {
        return 1;
      }
    }
    expect(await problemsOf(pair({ services: [Tickets] }, { definitions: [tool('create')] }))).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DUPLICATE_NAME',
        where: "defineTool('create') (module 'two')",
        what: expect.stringContaining("Tickets.create (module 'one')"),
      }),
    ]);
  });

  test('with different prefixes may have it', async () => {
    const definitions = [tool('create')];
    const app = await appOf(pair({ definitions, prefix: 'a' }, { definitions, prefix: 'b' }));
    expect(app.tools.keys()).toEqual(['a_create', 'b_create']);
  });

  test('with different providers for one id are a problem that names both, with the same provider none', async () => {
    const NUMBER = new InjectionToken<number>('NUMBER');
    const problems = await problemsOf(
      pair({ providers: [provide(NUMBER, 1)] }, { providers: [provide(NUMBER, 2)] }),
    );
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'SIGIL_DUPLICATE_PROVIDER',
        where: "token 'NUMBER'",
        what: "module 'one' and module 'two' have different providers for it",
        fix: expect.stringContaining('keep one'),
      }),
    ]);
    await appOf(pair({ providers: [provide(NUMBER, 1)] }, { providers: [provide(NUMBER, 1)] }));
  });

  test('that the app overrides are served with its provider', async () => {
    @Service()
    class Clock {
      now() {
        return 'real';
      }
    }
    class Times {
      readonly clock = inject(Clock);
      @Tool()
      now() {
        return this.clock.now();
      }
    }
    const times = defineModule({
      services: [Times],
      providers: [{ provide: Clock, useFactory: () => new Clock() }],
    });
    const app = await appOf({ modules: [times], override: [provide(Clock, { now: () => 'fake' })] });
    expect(textOf(await (await openSession(app)).call('now'))).toBe('fake');
    const replaced = await appOf({
      modules: [times],
      override: [provide(Times, { now: () => 'all fake', clock: new Clock() })],
    });
    expect(textOf(await (await openSession(replaced)).call('now'))).toBe('all fake');
  });
});

describe('an extension of a module', () => {
  const bring = (name: string) => ({
    definitions: [tool(name)],
    create: () => ({ id: `com.example/${name}`, settings: () => ({}) }),
  });

  test('brings definitions that pass the policies of the module, under their own names', async () => {
    const extra = bring('extra');
    const desk = defineModule({
      prefix: 'desk',
      extensions: [extra],
      guards: [({ principal }: GuardContext) => principal?.id === 'ada'],
      middleware: [async (_context, next) => `${String(await next())}!`],
    });
    const app = await appOf({ modules: [desk], extensions: [bring('open')] });
    const anybody = await openSession(app);
    expect(names(await anybody.list('tools'))).toEqual(['open']);
    expect((await anybody.error('tools/call', { name: 'extra' })).message).toBe('Unknown tool: extra');
    const requestInfo = { requestInfo: { principal: { id: 'ada' } } };
    expect(textOf(await (await openSession(app, '2025-11-25', {}, requestInfo)).call('extra'))).toBe(
      'extra!',
    );
  });

  test('has the policies of the first that lists it', async () => {
    const extra = bring('extra');
    const closed = defineModule({ name: 'closed', extensions: [extra], guards: [() => false] });
    const app = await appOf({ modules: [closed], extensions: [extra] });
    expect(names(await (await openSession(app)).list('tools'))).toEqual(['extra']);
  });
});

test.each<[string, unknown, string]>([
  ['undefined', undefined, 'undefined is not a module'],
  ['plain options', { services: [] }, 'is not a module'],
])('%s in the place of a module is a problem', async (_, module, what) => {
  expect(await problemsOf({ modules: [module as Module] })).toEqual([
    expect.objectContaining({
      code: 'SIGIL_INVALID_OPTIONS',
      where: 'createApp({ modules })',
      what: expect.stringContaining(what),
      fix: expect.stringContaining('import each other'),
    }),
  ]);
});

describe('an entry of a list that is none', () => {
  test.each<[string, object]>([
    ['providers', { providers: [undefined] }],
    ['providers', { providers: [provide(undefined as never, 1 as never)] }],
    ['providers', { providers: [{ provide: 'clock' }] }],
    ['override', { override: [undefined] }],
    ['definitions', { definitions: [undefined] }],
    ['definitions', { definitions: [{}] }],
  ])('of %s is a problem that names the list', async (option, options) => {
    expect(await problemsOf(options as never)).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', where: `createApp({ ${option} })` },
    ]);
  });
});

describe('what the app provides itself', () => {
  test.each([
    ['the principal', provide(PRINCIPAL, { id: 'local' })],
    ['the app', provide(App, {} as never)],
  ])('is not provided twice: %s', async (_what, provider) => {
    const problem = { code: 'SIGIL_DUPLICATE_PROVIDER', what: 'the app provides it itself' };
    expect(await problemsOf({ providers: [provider] })).toMatchObject([problem]);
    expect(await problemsOf({ override: [provider] })).toMatchObject([problem]);
  });
});

import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  Arg,
  Complete,
  defineResource,
  defineTool,
  type Guard,
  Inject,
  Prompt,
  Service,
  InjectionToken,
  Tool,
  UseGuards,
} from '../../src/index.js';
import { OverloadedError } from '../../src/errors/errors.js';
import {
  appOf,
  type Client,
  openSession,
  problemsOf,
  recordingLogger,
  statelessClient,
  textOf,
} from '../harness.js';

const names = async (client: Client) => (await client.list('tools')).map(({ name }) => name);

describe('guards', () => {
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [1, 'a value of type number'],
    ['yes', 'a value of type string'],
  ])('that give %j refuse, which is logged once a guard', async (answer, given) => {
    class Members implements Guard {
      allows(): boolean {
        return answer as boolean;
      }
    }
    const logger = recordingLogger();
    const handle = () => 'x';
    const definitions = ['a', 'b'].map((name) => defineTool({ name, handle }));
    const client = statelessClient(await appOf({ definitions, guards: [Members], logger }));
    expect(await names(client)).toEqual([]);
    await client.error('tools/call', { name: 'a' });
    const warned = logger.lines.filter(({ level }) => level === 'warn');
    expect(warned).toHaveLength(1);
    expect(warned[0]).toMatchObject({
      details: { guard: 'Members' },
      message: `a guard returned ${given}, which refuses the call: return true to allow it, or false to refuse it; perhaps the guard lacks a "return"`,
    });
  });

  test('that refuse are not warned of', async () => {
    const logger = recordingLogger();
    const definitions = [defineTool({ name: 'a', guards: [() => false], handle: () => 'x' })];
    const client = statelessClient(await appOf({ definitions, logger }));
    expect(await names(client)).toEqual([]);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('whose permits() forgets to answer are warned of', async () => {
    class Members implements Guard {
      allows(): boolean {
        return true;
      }
      permits(): boolean {
        return undefined as unknown as boolean;
      }
    }
    const logger = recordingLogger();
    const definitions = [defineTool({ name: 'a', guards: [Members], handle: () => 'x' })];
    const client = statelessClient(await appOf({ definitions, logger }));
    await client.request('tools/call', { name: 'a', arguments: {} });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { details: { guard: 'Members' } },
    ]);
  });

  test('are asked in order, app, class, method, and the first refusal ends the asking', async () => {
    const asked: string[] = [];
    const guard =
      (name: string, answer = true) =>
      () => {
        asked.push(name);
        return answer;
      };
    @UseGuards(guard('class 1'), guard('class 2'))
    class Tools {
      @Tool()
      @UseGuards(guard('method 1'), guard('method 2', false), guard('method 3'))
      one() {
        return 1;
      }
    }
    const client = await openSession(await appOf({ services: [Tools], guards: [guard('app')] }));
    await client.error('tools/call', { name: 'one' });
    expect(asked).toEqual(['app', 'class 1', 'class 2', 'method 1', 'method 2']);
  });

  test('of a base class hold for a subclass', async () => {
    @UseGuards(() => false)
    class Base {
      @Tool()
      one() {
        return 1;
      }
    }
    class Derived extends Base {
      @Tool()
      two() {
        return 2;
      }
    }
    expect(await names(await openSession(await appOf({ services: [Derived] })))).toEqual([]);
  });

  test('see who asks for what', async () => {
    const seen: GuardContext[] = [];
    class Tools {
      @Tool({ metadata: { level: 3 } })
      @UseGuards((access) => seen.push(access) > 0)
      one() {
        return 1;
      }
    }
    const requestInfo = { principal: { id: 'ada' }, headers: { 'x-tenant': 'blue' } };
    const client = await openSession(
      await appOf({ services: [Tools] }),
      '2025-06-18',
      { roots: {} },
      { requestInfo },
    );
    await client.call('one');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      definition: { kind: 'tool', name: 'one', metadata: { level: 3 } },
      principal: { id: 'ada' },
      headers: { 'x-tenant': 'blue' },
      client: { protocolVersion: '2025-06-18', capabilities: { roots: {} }, info: { name: 'tester' } },
    });
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('neither allow nor refuse when one %s: each request fails, by one line of the log', async (_, fail) => {
    const logger = recordingLogger();
    const guards = [fail as () => boolean];
    const [one, two] = ['one', 'two'].map((name) => defineTool({ name, guards, handle: () => 1 }));
    const page = defineResource({ uri: 'x://page', name: 'page', guards, handle: () => 'page' });
    const open = defineTool({ name: 'open', handle: () => 1 });
    const definitions = [one, two, open, page].filter((each) => each !== undefined);
    const client = await openSession(await appOf({ logger, definitions }));
    const requests: [string, object, string?][] = [
      ['tools/call', { name: 'one' }, "defineTool('one')"],
      ['tools/list', {}, "defineTool('one'), defineTool('two')"],
      ['resources/list', {}, "defineResource('page')"],
      ['resources/read', { uri: 'x://page' }, "defineResource('page')"],
      ['resources/subscribe', { uri: 'x://page' }],
    ];
    for (const [method, params, where] of requests) {
      expect(await client.error(method, { ...params })).toEqual({ code: -32603, message: 'Internal error' });
      const line = logger.lines.splice(0);
      expect(line).toMatchObject([
        { level: 'error', details: { method, ...(where === undefined ? {} : { where }) } },
      ]);
      const { err } = line[0]?.details as { err: Error };
      expect(err.message).toMatch(/^The guard .* failed: no database$/);
      expect(err.cause).toEqual(new Error('no database'));
    }
  });

  test('that fail for a whole list have their definitions named, though not all of them', async () => {
    const logger = recordingLogger();
    const guards = [() => Promise.reject(new Error('no database'))];
    const definitions = Array.from({ length: 500 }, (_, at) =>
      defineTool({ name: `t${at}`, handle: () => 1 }),
    );
    const client = statelessClient(await appOf({ logger, definitions, guards }));
    expect((await client.error('tools/list')).code).toBe(-32603);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.details['where']).toMatch(
      /^defineTool\('t0'\), .*defineTool\('t19'\), 480 more$/,
    );
  });

  test('fail a request with the error that is for clients, where they throw one', async () => {
    const guards = [
      (): boolean => {
        throw new OverloadedError('The directory is down', { retryAfterSeconds: 30 });
      },
    ];
    const definitions = [defineTool({ name: 'one', guards, handle: () => 1 })];
    const client = statelessClient(await appOf({ definitions }));
    const error = { code: -32603, message: 'The directory is down' };
    expect(await client.error('tools/call', { name: 'one' })).toEqual(error);
    expect(await client.error('tools/list')).toEqual(error);
  });

  test.each([[undefined], [1], ['yes'], [{}]])(
    'refuse when one answers %j instead of true',
    async (answer) => {
      const guards = [(() => answer) as unknown as () => boolean];
      const definitions = [defineTool({ name: 'one', guards, handle: () => 1 })];
      const client = await openSession(await appOf({ definitions }));
      await client.error('tools/call', { name: 'one' });
    },
  );

  test('that are classes get their dependencies from the container', async () => {
    @Service()
    class Policy {
      readonly open = true;
    }
    @Service()
    class PolicyGuard implements Guard {
      constructor(private readonly policy: Policy) {}
      allows() {
        return this.policy.open;
      }
    }
    const definitions = [defineTool({ name: 'one', guards: [PolicyGuard], handle: () => 1 })];
    const client = await openSession(await appOf({ definitions }));
    expect(textOf(await client.call('one'))).toBe('1');
  });

  test('that the container cannot make keep the app from starting', async () => {
    const missing = new InjectionToken<string>('MISSING');
    @Service()
    class BrokenGuard implements Guard {
      constructor(@Inject(missing) private readonly name: string) {}
      allows() {
        return this.name !== '';
      }
    }
    class Tools {
      @Tool()
      @UseGuards(BrokenGuard)
      one() {
        return 1;
      }
    }
    expect(await problemsOf({ services: [Tools] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_UNRESOLVABLE', where: expect.stringContaining('BrokenGuard') }),
    ]);
  });

  test('on a completion method are asked too', async () => {
    let calls = 0;
    class Greetings {
      @Prompt()
      greet(@Arg('name') name: string) {
        return name;
      }
    }
    @UseGuards(() => false)
    class Names {
      @Complete('greet', 'name')
      names() {
        calls += 1;
        return ['secret'];
      }
    }
    const client = await openSession(await appOf({ services: [Greetings, Names] }));
    const ref = { type: 'ref/prompt', name: 'greet' };
    await client.request('completion/complete', { ref, argument: { name: 'name', value: '' } });
    expect(calls).toBe(0);
  });
});

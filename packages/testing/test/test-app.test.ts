import { manifestOf } from '@sigil/core/manifest';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  defineModule,
  defineTool,
  type ErrorMapper,
  inject,
  mapError,
  MapErrors,
  provide,
  provideFactory,
  RequestContext,
  Service,
  InjectionToken,
  Tool,
  ToolError,
} from '@sigil/core';
import { testApp, textOf } from '../src/index.js';

class Database {
  constructor(private readonly url: string) {}
  find(): string {
    return `found in ${this.url}`;
  }
}

@Service()
class Mailer {
  send(): string {
    return 'sent for real';
  }
}

class Tickets {
  private readonly database = inject(Database);
  private readonly mailer = inject(Mailer);
  @Tool()
  find() {
    return this.database.find();
  }
  @Tool()
  send() {
    return this.mailer.send();
  }
  @Tool()
  fail() {
    throw new Error('the lamp is broken');
  }
}

const tickets = defineModule({
  prefix: 'desk',
  services: [Tickets],
  providers: [provideFactory(Database, { useFactory: () => Promise.reject(new Error('no database here')) })],
});
const database = provide(Database, { find: () => 'a fake ticket' });
const whoami = defineTool({
  name: 'whoami',
  handle: (_, { principal }) => JSON.stringify(principal ?? 'nobody'),
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('testApp', () => {
  test('replaces providers and classes of modules, which stay as they are', async () => {
    const override = [database, provide(Mailer, { send: () => 'not sent' })];
    await using server = await testApp({ modules: [tickets], override });
    expect(textOf(await server.client.callTool('desk_find'))).toBe('a fake ticket');
    expect(textOf(await server.client.callTool('desk_send'))).toBe('not sent');
    await expect(testApp({ modules: [tickets] })).rejects.toThrow('no database here');
  });

  test('needs no options, and takes those of apps', async () => {
    await using empty = await testApp();
    expect(await empty.client.request('tools/list').catch(() => ({}))).toBeDefined();
    await using named = await testApp({ name: 'desk', version: '2.0.0', client: { revision: '2025-11-25' } });
    expect(manifestOf(named.app).server).toMatchObject({ name: 'desk', version: '2.0.0' });
  });

  test.each([
    ['nobody', {}, '"nobody"'],
    ['a principal', { principal: { id: 'ada', scopes: ['agent'] } }, '{"id":"ada","scopes":["agent"]}'],
    ['claims alone', { claims: { tenant: 7 } }, '{"id":"test","claims":{"tenant":7}}'],
    [
      'claims of a principal',
      { principal: { id: 'ada', claims: { tenant: 1, role: 'agent' } }, claims: { tenant: 7 } },
      '{"id":"ada","claims":{"tenant":7,"role":"agent"}}',
    ],
  ])('calls for %s', async (_, options, expected) => {
    await using server = await testApp({ definitions: [whoami], ...options });
    expect(textOf(await server.client.callTool('whoami'))).toBe(expected);
  });

  test('connects more clients, for other principals too', async () => {
    await using server = await testApp({ definitions: [whoami], principal: { id: 'ada' } });
    const same = await server.connect({ revision: '2025-06-18' });
    const other = await server.connect({ principal: { id: 'bob' } });
    expect(same.revision).toBe('2025-06-18');
    expect(textOf(await same.callTool('whoami'))).toBe('{"id":"ada"}');
    expect(textOf(await other.callTool('whoami'))).toBe('{"id":"bob"}');
  });

  test('gives services, and closes clients before services', async () => {
    const NAMES = new InjectionToken<string[]>('NAMES');
    const gone: string[] = [];
    const names = provide(NAMES, ['ada'], { dispose: () => gone.push('names') });
    const server = await testApp({ providers: [names], definitions: [whoami] });
    const second = await server.connect();
    expect(await server.get(NAMES)).toEqual(['ada']);
    await server[Symbol.asyncDispose]();
    expect(gone).toEqual(['names']);
    await expect(server.client.callTool('whoami')).rejects.toThrow('closed');
    await expect(second.callTool('whoami')).rejects.toThrow('closed');
  });

  test('prints unexpected errors, and keeps every line', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await using server = await testApp({ modules: [tickets], override: [database] });
    expect((await server.client.callTool('desk_fail')).isError).toBe(true);
    const details = expect.objectContaining({
      err: expect.objectContaining({ message: 'the lamp is broken' }),
    });
    expect(server.logs).toEqual([{ level: 'error', message: 'a handler failed unexpectedly', details }]);
    expect(printed.mock.calls).toEqual([
      [
        'a handler failed unexpectedly',
        expect.objectContaining({ err: expect.stringContaining('the lamp is broken') }),
      ],
    ]);
  });

  test('hands the lines to a logger in place of the console', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const lines: unknown[] = [];
    const write = (...line: unknown[]) => void lines.push(line);
    const logger = { debug: write, info: write, warn: write, error: write };
    await using server = await testApp({ modules: [tickets], override: [database], logger });
    await server.client.callTool('desk_fail');
    expect([lines.length, server.logs.length, printed.mock.calls.length]).toEqual([1, 1, 0]);
  });

  test('leaves nothing open when the client cannot connect', async () => {
    const gone: string[] = [];
    const providers = [provide('value', 1, { dispose: () => gone.push('value') })];
    const client = { revision: '1999-01-01' as '2025-11-25' };
    await expect(testApp({ providers, client })).rejects.toThrow();
    expect(gone).toEqual(['value']);
  });

  test('maps errors of the domain by the nearest of class, module and app', async () => {
    class Broken extends Error {}
    const to = (text: string, type: ErrorMapper['error'] = Broken) =>
      mapError(type, () => new ToolError(text));
    const fail = () => {
      throw new Broken('internal');
    };
    @MapErrors(to('class'))
    class Desk {
      @Tool()
      own() {
        fail();
      }
      @Tool()
      other() {
        throw new RangeError('internal');
      }
    }
    const inModule = defineTool({ name: 'in_module', handle: fail });
    const inApp = defineTool({ name: 'in_app', handle: fail });
    const module = defineModule({ services: [Desk], definitions: [inModule], errors: [to('module')] });
    await using server = await testApp({
      modules: [module],
      definitions: [inApp],
      errors: [to('app'), to('app, any', RangeError)],
    });
    const said = async (name: string) => {
      const result = await server.client.callTool(name);
      return [result.isError, textOf(result)];
    };
    expect(await said('own')).toEqual([true, 'class']);
    expect(await said('in_module')).toEqual([true, 'module']);
    expect(await said('in_app')).toEqual([true, 'app']);
    expect(await said('other')).toEqual([true, 'app, any']);
    expect(server.logs).toEqual([]);
  });

  test('serves request-scoped services of the principal', async () => {
    @Service({ scope: 'request' })
    class User {
      readonly id = inject(RequestContext).principal?.id;
    }
    @Service({ scope: 'request' })
    class Profile {
      private readonly user = inject(User);
      @Tool()
      name() {
        return this.user.id;
      }
    }
    await using server = await testApp({ services: [Profile], principal: { id: 'ada' } });
    expect(textOf(await server.client.callTool('name'))).toBe('ada');
  });
});

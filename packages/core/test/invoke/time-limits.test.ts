import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { IsString, ValidateBy } from 'class-validator';
import {
  type GuardContext,
  defineTool,
  type Guard,
  mapError,
  type Middleware,
  type NextFunction,
  RequireScopes,
  Resource,
  TaskSupport,
  Tool,
  type RequestContext,
  UseGuards,
} from '../../src/index.js';
import {
  appOf,
  clientOf,
  deferred,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
  until,
} from '../harness.js';

const ERAS = ['2025-11-25', '2026-07-28'];
const TASKS = 'io.modelcontextprotocol/tasks';

/** Never answers. */
const hang = () => new Promise<never>(() => undefined);

describe('a handler whose author says nothing of time', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  test.each(ERAS)('may take ten minutes, with its middleware, in %s', async (version) => {
    const logger = recordingLogger();
    class Stuck implements Middleware {
      handle(_context: RequestContext, _next: NextFunction): Promise<unknown> {
        return hang();
      }
    }
    const app = await appOf({
      definitions: [defineTool({ name: 'stuck', handle: () => 1 })],
      middleware: [Stuck],
      logger,
    });
    const client = await clientOf(app, version);
    const id = client.start('tools/call', { name: 'stuck' }, 7);
    await jest.advanceTimersByTimeAsync(9.9 * 60_000);
    expect(client.messages.some((message) => message.id === id)).toBe(false);
    await jest.advanceTimersByTimeAsync(0.2 * 60_000);
    expect(await client.response(id)).toMatchObject({
      result: { isError: true, content: [{ text: 'The tool stuck did not finish within 600000 ms' }] },
    });
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        message: 'a handler took too long',
        details: { requestId: 7, method: 'tools/call', where: "defineTool('stuck')", client: 'tester 0' },
      },
    ]);
  });

  test('may take as long as it likes when the app, or its definition, says so', async () => {
    const one = await appOf({ definitions: [defineTool({ name: 'stuck', handle: hang })], timeoutMs: false });
    const two = await appOf({ definitions: [defineTool({ name: 'stuck', timeoutMs: false, handle: hang })] });
    for (const app of [one, two]) {
      const client = statelessClient(app);
      client.start('tools/call', { name: 'stuck' }, 1);
      await jest.advanceTimersByTimeAsync(24 * 3_600_000);
      expect(client.messages).toEqual([]);
    }
  });

  test('may take the life of its task when it runs as one', async () => {
    const begun = deferred();
    class Report {
      @Tool({ description: 'Writes a report' })
      @TaskSupport('optional')
      async write(): Promise<string> {
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 30 * 60_000));
        return 'written';
      }
    }
    const client = statelessClient(await appOf({ services: [Report] }), { extensions: { [TASKS]: {} } });
    const { taskId } = await client.call('write');
    await begun.promise;
    await jest.advanceTimersByTimeAsync(31 * 60_000);
    jest.useRealTimers();
    const look = () => client.result('tasks/get', { taskId: taskId as string });
    await until(async () => (await look())['status'] !== 'working');
    expect(await look()).toMatchObject({ status: 'completed', result: { content: [{ text: 'written' }] } });
  });
});

describe('a time limit', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /** A client whose call has worked for 30 of its 50 milliseconds, and has then asked. */
  async function asking(afterwards: () => Promise<void>) {
    const ask = defineTool({
      name: 'ask',
      timeoutMs: 50,
      handle: async (_args, context) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        const { length } = await context.roots();
        await afterwards();
        return length;
      },
    });
    const client = await openSession(await appOf({ definitions: [ask] }), '2025-11-25', { roots: {} });
    const call = client.start('tools/call', { name: 'ask' });
    await jest.advanceTimersByTimeAsync(30);
    const { id } = await client.waitFor(({ method }) => method === 'roots/list');
    await jest.advanceTimersByTimeAsync(10_000);
    client.send({ jsonrpc: '2.0', id, result: { roots: [] } });
    await settled();
    return { client, call };
  }

  test('does not count the time in which the client is asked in the middle of the work', async () => {
    const { client, call } = await asking(() => new Promise((resolve) => setTimeout(resolve, 15)));
    await jest.advanceTimersByTimeAsync(15);
    expect(await client.response(call)).toMatchObject({ result: { content: [{ text: '0' }] } });
  });

  test('counts on after the answer, from where it has stopped', async () => {
    const { client, call } = await asking(hang);
    await jest.advanceTimersByTimeAsync(15);
    expect(client.messages.some(({ id, result }) => id === call && result)).toBe(false);
    await jest.advanceTimersByTimeAsync(10);
    expect(await client.response(call)).toMatchObject({
      result: { isError: true, content: [{ text: 'The tool ask did not finish within 50 ms' }] },
    });
  });
});

describe('an error mapper that does not answer', () => {
  test.each(ERAS)(
    'has the time of its handler, also for arguments that are refused, in %s',
    async (version) => {
      const number = { type: 'object', properties: { number: { type: 'integer' } } };
      const errors = [mapError(Error, () => hang())];
      const double = defineTool({ name: 'double', input: number, errors, timeoutMs: 30, handle: () => 1 });
      const client = await clientOf(await appOf({ definitions: [double] }), version);
      expect(await client.call('double', { number: 'seven' })).toMatchObject({
        isError: true,
        content: [{ text: 'The tool double did not finish within 30 ms' }],
      });
    },
  );
});

test('a check of variables that does not answer has the time of a guard where a resource is subscribed to', async () => {
  class Query {
    @IsString()
    @ValidateBy({ name: 'slow', async: true, validator: { validate: () => hang() } })
    id!: string;
  }
  class Notes {
    @Resource('note://{id}')
    @RequireScopes(({ id }: Query) => (id === 'open' ? [] : ['notes']))
    read(query: Query): string {
      return query.id;
    }
  }
  const client = await clientOf(
    await appOf({ services: [Notes], limits: { guardTimeoutMs: 30 } }),
    '2025-11-25',
  );
  expect(await client.error('resources/subscribe', { uri: 'note://1' })).toMatchObject({
    code: -32603,
    message: 'Access cannot be checked now; try again later',
  });
});

describe('a guard that does not answer', () => {
  class Hanging implements Guard {
    allows(): Promise<boolean> {
      return hang();
    }
  }
  class Slow implements Guard {
    async allows(): Promise<boolean> {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return true;
    }
  }

  test.each(ERAS)('fails the request, leaves the others, and is logged, in %s', async (version) => {
    const logger = recordingLogger();
    class Tools {
      @Tool({ description: 'Open' })
      open(): string {
        return 'open';
      }
      @Tool({ description: 'Closed' })
      @UseGuards(Hanging)
      closed(): string {
        return 'closed';
      }
      @Resource('x://closed')
      @UseGuards((_access: GuardContext) => hang())
      page(): string {
        return 'closed';
      }
    }
    const app = await appOf({ services: [Tools], limits: { guardTimeoutMs: 50 }, logger });
    const client = await clientOf(app, version, { requestInfo: { principal: { id: 'ann' } } });
    const late = { code: -32603, message: 'Access cannot be checked now; try again later' };
    expect(await client.request('tools/list', {}, 5)).toMatchObject({ error: late });
    expect(await client.error('tools/call', { name: 'closed' })).toEqual(late);
    expect(textOf(await client.call('open'))).toBe('open');
    expect(await client.error('resources/list')).toEqual(late);
    // Once a minute for each: a client can ask as often as it likes.
    expect(logger.lines.map(({ level, details }) => `${level} ${String(details['err'])}`)).toEqual([
      'error LateGuardError: The guard Hanging did not answer within 50 ms',
      'error LateGuardError: The guard 1, which has no name, did not answer within 50 ms',
    ]);
    expect(logger.lines[0]).toMatchObject({
      message: 'requests are refused for now',
      details: {
        where: 'Tools.closed',
        requestId: 5,
        method: 'tools/list',
        principal: 'ann',
        client: 'tester 0',
      },
    });
  });

  test.each([undefined, 7])('is asked beside the others of a list, on pages of %p', async (pageSize) => {
    class Asked {
      static most = 0;
      static now = 0;
    }
    class Counting implements Guard {
      async allows({ definition }: GuardContext): Promise<boolean> {
        Asked.now += 1;
        Asked.most = Math.max(Asked.most, Asked.now);
        await new Slow().allows();
        Asked.now -= 1;
        return !definition.name.endsWith('3');
      }
    }
    const names = Array.from({ length: 40 }, (_, index) => `tool-${String(index).padStart(2, '0')}`);
    const definitions = names.map((name) => defineTool({ name, handle: () => name }));
    const app = await appOf({
      definitions,
      guards: [Counting],
      ...(pageSize === undefined ? {} : { pageSize }),
    });
    const client = statelessClient(app);
    const shown: unknown[] = [];
    let cursor: unknown;
    do {
      const { result } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
      const { tools, nextCursor } = result as { tools: { name: string }[]; nextCursor?: string };
      if (pageSize !== undefined) expect(tools.length).toBeLessThanOrEqual(pageSize);
      shown.push(...tools.map(({ name }) => name));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(shown).toEqual(names.filter((name) => !name.endsWith('3')));
    expect(Asked.most).toBe(pageSize === undefined ? 40 : pageSize + 1);
  });

  test('fails the call when a guard does not say in time whether it permits it', async () => {
    class Unsure implements Guard {
      allows(): boolean {
        return true;
      }
      permits(): Promise<boolean> {
        return hang();
      }
    }
    class Tools {
      @Tool({ description: 'Delete' })
      @UseGuards(Unsure)
      delete(): string {
        throw new Error('it must not run');
      }
    }
    const logger = recordingLogger();
    const client = statelessClient(
      await appOf({ services: [Tools], limits: { guardTimeoutMs: 50 }, logger }),
    );
    expect(await client.error('tools/call', { name: 'delete' })).toEqual({
      code: -32603,
      message: 'Access cannot be checked now; try again later',
    });
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        message: 'requests are refused for now',
        details: { err: { message: 'The guard Unsure did not answer within 50 ms' }, method: 'tools/call' },
      },
    ]);
  });
});

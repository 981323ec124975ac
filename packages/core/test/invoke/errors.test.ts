import { describe, expect, test } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import {
  type App,
  Arg,
  Complete,
  definePrompt,
  defineResource,
  defineTool,
  InputResponseError,
  Param,
  Prompt,
  ProtocolError,
  Resource,
  Tool,
  ToolError,
  UrlElicitationRequiredError,
} from '../../src/index.js';
import { OverloadedError } from '../../src/backend.js';
import { appOf, clientOf, openSession, recordingLogger, statelessClient, textOf } from '../harness.js';

const secret = () => new Error('password=hunter2 at /srv/app.js', { cause: new Error('the disk') });

function throwing(error: unknown, options: { exposeErrors?: boolean } = {}) {
  const logger = recordingLogger();
  const handle = () => {
    throw error;
  };
  const app = appOf({
    logger,
    ...options,
    definitions: [
      defineTool({ name: 'now', handle }),
      defineTool({ name: 'later', handle: () => Promise.reject(error as Error) }),
      defineTool({ name: 'wrapped', handle, middleware: [(_context, next) => next()] }),
      defineResource({ uri: 'x://y', name: 'y', handle }),
      definePrompt({ name: 'p', handle }),
    ],
  });
  return { app, logger };
}
const NAMES = ['now', 'later', 'wrapped'];
const OTHERS = [
  ['resources/read', { uri: 'x://y' }],
  ['prompts/get', { name: 'p' }],
] as const;

describe('a ToolError', () => {
  test('is the result of a tool, and nothing is logged [checklist 32]', async () => {
    const { app, logger } = throwing(new ToolError('No such SKU', { cause: secret() }));
    const client = await openSession(await app);
    for (const name of NAMES) {
      expect(await client.call(name)).toEqual({
        content: [{ type: 'text', text: 'No such SKU' }],
        isError: true,
      });
    }
    expect(logger.lines).toEqual([]);
  });

  test('carries structured content, which need not fit the output schema [checklist 33]', async () => {
    const definition = defineTool({
      name: 'fail',
      output: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      handle: () => {
        throw new ToolError('No', { structuredContent: { reason: 7 } });
      },
    });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.call('fail')).toEqual({
      content: [{ type: 'text', text: 'No' }],
      isError: true,
      structuredContent: { reason: 7 },
    });
  });

  test('is known by its mark when it comes from another copy of the package', async () => {
    const foreign = Object.assign(new Error('Foreign'), { [Symbol.for('sigil:tool-error')]: true });
    const client = await openSession(await throwing(foreign).app);
    expect(await client.call('now')).toMatchObject({ isError: true, content: [{ text: 'Foreign' }] });
  });

  test.each(['ToolError', 'ProtocolError'])(
    'is not the %s of another library, which is masked as any other error',
    async (name) => {
      const foreign = Object.assign(new Error('secret'), { name, code: -32000, data: { secret: true } });
      const client = await openSession(await throwing(foreign).app);
      expect(await client.call('now')).toEqual({
        isError: true,
        content: [{ type: 'text', text: 'Internal error' }],
      });
    },
  );
});

test('errors have the names of their classes', () => {
  const errors = [
    new ToolError('No'),
    new InputResponseError('late', 'No answer'),
    new ProtocolError(1, 'No'),
    new OverloadedError('Too much'),
    new UrlElicitationRequiredError([]),
  ];
  for (const error of errors) expect(error.name).toBe(error.constructor.name);
});

describe('a ProtocolError', () => {
  test('is a JSON-RPC error with its data', async () => {
    const { app, logger } = throwing(new ProtocolError(4711, 'Not today', { until: 'Monday' }));
    const client = await openSession(await app);
    const error = { code: 4711, message: 'Not today', data: { until: 'Monday' } };
    for (const name of NAMES) expect(await client.error('tools/call', { name })).toEqual(error);
    for (const [method, params] of OTHERS) expect(await client.error(method, params)).toEqual(error);
    expect(logger.lines).toEqual([]);
  });

  test('of another copy of the package without a code is an internal error', async () => {
    const foreign = Object.assign(new Error('Foreign'), { name: 'ProtocolError' });
    const client = await openSession(await throwing(foreign).app);
    expect(await client.error('prompts/get', { name: 'p' })).toMatchObject({ code: -32603 });
  });
});

describe('a client that says odd things of itself', () => {
  const odd = { toString: null, valueOf: 1 };

  test.each([
    [{ name: 'fuzz', version: odd }, 'fuzz'],
    [{ name: odd, version: '1' }, undefined],
    [{ name: 'x'.repeat(10_000), version: '1' }, `${'x'.repeat(256)}…`],
    [7, undefined],
  ])('is answered, and named in the log as far as it can be: %#', async (clientInfo, named) => {
    const { app, logger } = throwing(secret());
    const client = statelessClient(await app);
    client.envelope = { ...client.envelope, 'io.modelcontextprotocol/clientInfo': clientInfo };
    expect(await client.call('now')).toMatchObject({ isError: true });
    expect(await client.error('prompts/get', { name: 'p' })).toMatchObject({ code: -32603 });
    expect(logger.lines.map(({ details }) => details['client'])).toEqual([named, named]);
  });
});

describe('any other error', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'of a tool is masked and logged with its cause in %s [checklist 32]',
    async (version) => {
      const error = secret();
      const { app, logger } = throwing(error);
      const client = await clientOf(await app, version);
      for (const name of NAMES) {
        expect(await client.call(name)).toMatchObject({
          content: [{ type: 'text', text: 'Internal error' }],
          isError: true,
        });
      }
      expect(logger.lines).toEqual(
        NAMES.map((name) => ({
          level: 'error',
          details: {
            err: error,
            where: `defineTool('${name}')`,
            method: 'tools/call',
            id: expect.any(String),
            requestId: expect.anything(),
            client: 'tester 0',
          },
          message: expect.any(String),
        })),
      );
      expect(JSON.stringify(client.received)).not.toMatch(/hunter2|app\.js|the disk/);
    },
  );

  test('of a resource or prompt is masked and logged once', async () => {
    const error = secret();
    const { app, logger } = throwing(error);
    const client = await openSession(await app);
    for (const [method, params] of OTHERS) {
      expect(await client.error(method, params)).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(logger.lines.map(({ details }) => details['err'])).toEqual([error, error]);
  });

  test('shows its message when errors are exposed, and no more', async () => {
    const { app } = throwing(secret(), { exposeErrors: true });
    const client = await openSession(await app);
    const message = 'password=hunter2 at /srv/app.js';
    expect(textOf(await client.call('now'))).toBe(message);
    expect(await client.error('prompts/get', { name: 'p' })).toEqual({ code: -32603, message });
  });

  test.each([
    ['a string', 'oops'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { message: 7 }],
  ])('may be %s', async (_, thrown) => {
    const client = await openSession(await throwing(thrown).app);
    for (const name of NAMES) expect(textOf(await client.call(name))).toBe('Internal error');
  });
});

describe('invalid arguments', () => {
  class Query {
    @IsString() sku!: string;
    @IsInt() quantity!: number;
  }
  const calls: string[] = [];
  class Inventory {
    @Tool()
    check(query: Query) {
      calls.push(query.sku);
      return 'ok';
    }
    @Tool()
    add(@Arg('a') a: number, @Arg('b', { minimum: 0 }) b: number) {
      calls.push('add');
      return a + b;
    }
    @Tool()
    none() {
      calls.push('none');
      return 'ok';
    }
    @Prompt()
    ask(@Arg('count') count: number) {
      calls.push('ask');
      return `${typeof count} ${count}`;
    }
    @Resource('items://{number}')
    item(@Param('number') number: number) {
      calls.push('item');
      return `${typeof number} ${number}`;
    }
    @Complete('ask', 'count')
    counts() {
      return ['1'];
    }
  }
  let app: Promise<App> | undefined;
  const session = async () => openSession(await (app ??= appOf({ services: [Inventory] })));

  test.each<[string, Record<string, unknown>, string]>([
    ['check', {}, 'sku'],
    ['check', { sku: 'A', quantity: 'many' }, 'quantity'],
    ['check', { sku: 'A', quantity: 1, colour: 'red' }, 'colour'],
    ['add', { a: 1 }, 'b'],
    ['add', { a: 1, b: -1 }, 'b'],
    ['add', { a: '1', b: 1 }, 'a'],
    ['none', { a: 1 }, 'a'],
  ])(
    'of the tool %s are an isError result, and the handler is not called: %j [checklist 30]',
    async (name, args, word) => {
      calls.length = 0;
      const result = await (await session()).call(name, args);
      expect(result['isError']).toBe(true);
      expect(textOf(result)).toContain(word);
      expect(calls).toEqual([]);
    },
  );

  test('of a prompt are refused with -32602 and the issues', async () => {
    calls.length = 0;
    const client = await session();
    for (const args of [{}, { count: 'many' }]) {
      const error = await client.error('prompts/get', { name: 'ask', arguments: args });
      expect(error).toMatchObject({
        code: -32602,
        data: { issues: [expect.objectContaining({ path: 'count' })] },
      });
    }
    expect(calls).toEqual([]);
  });

  test('of a template are refused with -32602', async () => {
    calls.length = 0;
    const error = await (await session()).error('resources/read', { uri: 'items://seven' });
    expect(error).toMatchObject({ code: -32602 });
    expect(calls).toEqual([]);
  });

  test('that are strings are converted for prompts and templates', async () => {
    const client = await session();
    expect(await client.result('prompts/get', { name: 'ask', arguments: { count: '7' } })).toMatchObject({
      messages: [{ content: { text: 'number 7' } }],
    });
    expect(await client.result('resources/read', { uri: 'items://7' })).toMatchObject({
      contents: [{ text: 'number 7' }],
    });
  });
});

describe('a result that does not fit its output schema', () => {
  class Level {
    @IsInt() quantity!: number;
  }

  test.each<[string, unknown]>([
    ['misses a property', {}],
    ['has a wrong type', { quantity: 'many' }],
    ['is text', 'seven'],
    ['is nothing', undefined],
    ['is a whole result without structure', { content: [{ type: 'text', text: 'x' }] }],
  ])('because it %s is -32603 to the client and an error in the log [checklist 33]', async (_, value) => {
    const logger = recordingLogger();
    const definitions = [
      defineTool({ name: 'now', output: Level, handle: () => value as Level }),
      defineTool({ name: 'later', output: Level, handle: () => Promise.resolve(value as Level) }),
    ];
    const client = await openSession(await appOf({ logger, definitions }));
    for (const name of ['now', 'later']) {
      const error = await client.error('tools/call', { name });
      expect(error).toEqual({ code: -32603, message: expect.stringContaining('output schema') });
    }
    expect(logger.lines.map(({ level, details }) => [level, details['where']])).toEqual([
      ['error', "defineTool('now')"],
      ['error', "defineTool('later')"],
    ]);
    expect(logger.lines[0]?.details['issues']).not.toHaveLength(0);
  });
});

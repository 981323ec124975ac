import { describe, expect, test } from '@jest/globals';
import { IsNumber } from 'class-validator';
import { message, content, resourceContents } from '../../src/content.js';
import { definePrompt, defineResource, defineTool, ask, ProtocolError, ToolError } from '../../src/index.js';
import { appOf, openSession, recordingLogger } from '../harness.js';

const said = (value: string) => ({ type: 'text', text: value });
const bytes = new Uint8Array([1, 2, 3]);

class Point {
  @IsNumber() x = 1;
}

describe('what a tool returns', () => {
  const structured = (value: object) => ({
    content: [said(JSON.stringify(value))],
    structuredContent: value,
  });

  test.each<[string, unknown, unknown]>([
    ['a string', 'x', { content: [said('x')] }],
    ['an empty string', '', { content: [said('')] }],
    ['a number', 42, { content: [said('42')] }],
    ['zero', 0, { content: [said('0')] }],
    ['true', true, { content: [said('true')] }],
    ['false', false, { content: [said('false')] }],
    ['a bigint', 12n, { content: [said('12')] }],
    ['nothing', undefined, { content: [] }],
    ['null', null, { content: [] }],
    ['a plain object', { a: 1 }, structured({ a: 1 })],
    ['an object with a type of its own', { type: 'invoice' }, structured({ type: 'invoice' })],
    ['an object with content that is none', { content: 'x' }, structured({ content: 'x' })],
    ['an object with content and more', { content: [], title: 'x' }, structured({ content: [], title: 'x' })],
    ['an instance', new Point(), structured({ x: 1 })],
    ['an array', [1, 2], { content: [said('[1,2]')], structuredContent: { result: [1, 2] } }],
    ['an empty array', [], { content: [said('[]')], structuredContent: { result: [] } }],
    ['text', content.text('x'), { content: [said('x')] }],
    [
      'an image of bytes',
      content.image(bytes, 'image/png'),
      { content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] },
    ],
    [
      'an image in base64',
      content.image('AQID', 'image/png'),
      { content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] },
    ],
    [
      'a recording',
      content.audio(bytes.buffer, 'audio/wav'),
      { content: [{ type: 'audio', data: 'AQID', mimeType: 'audio/wav' }] },
    ],
    [
      'a part of a longer buffer',
      content.image(new Uint8Array(new Uint8Array([0, 1, 2, 3, 4]).buffer, 1, 3), 'image/png'),
      { content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] },
    ],
    [
      'an embedded resource',
      content.resource(resourceContents.text('x://y', 'z')),
      { content: [{ type: 'resource', resource: { uri: 'x://y', mimeType: 'text/plain', text: 'z' } }] },
    ],
    [
      'a link',
      content.resourceLink('x://y', 'y'),
      { content: [{ type: 'resource_link', uri: 'x://y', name: 'y' }] },
    ],
    [
      'several pieces of content',
      [content.text('a'), content.text('b')],
      { content: [said('a'), said('b')] },
    ],
    ['a whole result', { content: [said('a')], isError: true }, { content: [said('a')], isError: true }],
    [
      'a whole result with structure',
      { content: [said('a')], structuredContent: { b: 1 } },
      { content: [said('a')], structuredContent: { b: 1 } },
    ],
    [
      'a Buffer',
      Buffer.from(bytes),
      {
        content: [
          {
            type: 'resource',
            resource: {
              uri: 'data:application/octet-stream',
              mimeType: 'application/octet-stream',
              blob: 'AQID',
            },
          },
        ],
      },
    ],
  ])('as %s is encoded by its kind, now or later', async (_, value, expected) => {
    const app = await appOf({
      definitions: [
        defineTool({ name: 'now', handle: () => value }),
        defineTool({ name: 'later', handle: () => Promise.resolve(value) }),
        defineTool({ name: 'wrapped', handle: () => value, middleware: [(_context, next) => next()] }),
      ],
    });
    const client = await openSession(app);
    for (const name of ['now', 'later', 'wrapped']) expect(await client.call(name)).toEqual(expected);
  });

  test.each<[string, () => unknown]>([
    [
      'an object that contains itself',
      () => {
        const self: Record<string, unknown> = {};
        self['self'] = self;
        return self;
      },
    ],
    [
      'something deeper than 64 levels',
      () => [...Array(70).keys()].reduce<object>((inner) => ({ inner }), {}),
    ],
  ])('as %s is a masked failure, and the log names the place', async (_, handle) => {
    const logger = recordingLogger();
    const app = await appOf({ logger, definitions: [defineTool({ name: 'odd', handle })] });
    const client = await openSession(app);
    expect(await client.call('odd')).toEqual({ content: [said('Internal error')], isError: true });
    const [line] = logger.lines;
    expect((line?.details['err'] as Error).message).toMatch(/^'[\w.]+' cannot be written as JSON: it /);
  });

  test.each<[string, () => unknown, string]>([
    [
      'a promise inside',
      () => ({ a: [{ b: Promise.resolve(1) }] }),
      "'a[0].b' cannot be written as JSON: it is a promise",
    ],
    [
      'a list of promises',
      () => [Promise.resolve(1)],
      "'[0]' cannot be written as JSON: it is a promise: await it",
    ],
    ['a promise in a Map', () => ({ m: new Map([['k', Promise.resolve(1)]]) }), "'m.k' cannot"],
    ['what its toJSON promises', () => ({ q: { toJSON: () => Promise.resolve(1) } }), "'q' cannot"],
    [
      'a query that holds itself',
      () => {
        const query: Record<string, unknown> = { then: () => undefined };
        query['client'] = { query };
        return { rows: query };
      },
      "'rows' cannot be written as JSON: it is a promise: await it",
    ],
    [
      'a generator',
      () => [1, 2].values(),
      'the value cannot be written as JSON: it is of the kind Array Iterator',
    ],
    [
      'a generator inside',
      () => ({
        rows: (function* () {
          yield 1;
        })(),
      }),
      "'rows' cannot be written as JSON: it is of the kind Generator",
    ],
    [
      'an async generator inside',
      () => ({
        rows: (async function* () {
          yield await Promise.resolve(1);
        })(),
      }),
      "'rows' cannot",
    ],
    [
      'a class that only yields',
      () => ({
        bag: new (class {
          *[Symbol.iterator]() {
            yield 1;
          }
        })(),
      }),
      "'bag' cannot",
    ],
    [
      'a Response',
      () => new Response('hello'),
      'it is of the kind Response, which JSON cannot represent: return its contents',
    ],
    [
      'a Response inside',
      () => ({ a: new Response('hello') }),
      "'a' cannot be written as JSON: it is of the kind Response",
    ],
    ['a Request inside', () => ({ a: new Request('http://x') }), "'a' cannot"],
    ['Headers inside', () => ({ a: new Headers({ b: 'c' }) }), "'a' cannot"],
    ['a FormData inside', () => ({ a: new FormData() }), "'a' cannot"],
    ['a Blob inside', () => ({ a: new Blob(['x']) }), "'a' cannot"],
    ['a stream inside', () => ({ a: new ReadableStream() }), "'a' cannot"],
    ['URLSearchParams inside', () => ({ a: new URLSearchParams('b=c') }), "'a' cannot"],
    ['a WeakMap inside', () => ({ a: new WeakMap() }), "'a' cannot"],
    ['a pattern inside', () => ({ a: /x/ }), "'a' cannot"],
    [
      'an invalid date inside',
      () => ({ a: [new Date('x')] }),
      "'a[0]' cannot be written as JSON: it is an invalid date",
    ],
    [
      'NaN inside',
      () => ({ set: new Set([1, Number.NaN]) }),
      "'set[1]' cannot be written as JSON: it is NaN, which is not a number in JSON",
    ],
    [
      'a function inside',
      () => ({ a: 1, f() {} }),
      "'f' cannot be written as JSON: it is a function, which JSON cannot represent: leave it out",
    ],
    [
      'a function of an instance',
      () => ({
        rows: [
          new (class {
            name = 'Ada';
            greet = () => this.name;
          })(),
        ],
      }),
      "'rows[0].greet' cannot be written as JSON: it is a function",
    ],
    ['a class in a list', () => [class {}], "'[0]' cannot be written as JSON: it is a function"],
    [
      'a function in structured content',
      () => ({ content: [], structuredContent: { a: { f: () => 1 } } }),
      "'a.f' cannot be written as JSON: it is a function",
    ],
    [
      'a symbol inside',
      () => ({ a: Symbol('b') }),
      "'a' cannot be written as JSON: it is a symbol, which JSON cannot represent: leave it out",
    ],
    [
      'an infinite number inside',
      () => ({ a: { b: 1 / 0 } }),
      "'a.b' cannot be written as JSON: it is Infinity",
    ],
    [
      'a block of an unknown type',
      () => ({ content: [content.text('x'), { type: 'nope' }] }),
      'a tool returned a result whose content[1] is not a content block: create blocks with content.text()',
    ],
    [
      'a block without its text',
      () => ({ content: [{ type: 'text' }] }),
      'content[0] is not a content block',
    ],
    ['a text that is a number', () => content.text(5 as never), '"text" of text content must be a string'],
    [
      'a text of hand that is a number',
      () => ({ content: [{ type: 'text', text: 5 }] }),
      '"text" of text content must be a string',
    ],
    [
      'an image of nothing',
      () => content.image(undefined as never, 'image/png'),
      'The data must be bytes or base64',
    ],
    [
      'an image without type',
      () => content.image(bytes, undefined as never),
      '"mimeType" of image content must be a string',
    ],
    [
      'a link to nothing',
      () => content.resourceLink(5 as never, 'x'),
      '"uri" of resource_link content must be a string',
    ],
    [
      'a resource that is none',
      () => content.resource('x' as never),
      '"resource" of resource content must be a result of',
    ],
    [
      'a block whose _meta is a number',
      () => [{ type: 'text', text: 'a', _meta: 5 }],
      '"_meta" of text content must be an object',
    ],
    [
      'a priority above 1',
      () => content.text('a', { annotations: { priority: 7 } }),
      '"priority" of annotations must be a number from 0 to 1',
    ],
    [
      'a reader that is none',
      () => content.text('a', { annotations: { audience: ['all' as never] } }),
      '"audience" of annotations',
    ],
    [
      'a time that is none',
      () => content.text('a', { annotations: { lastModified: new Date() as never } }),
      '"lastModified" of annotations',
    ],
    [
      'annotations that are none',
      () => content.text('a', { annotations: 5 as never }),
      '"annotations" of content must be an object',
    ],
    [
      'structured content that contains itself',
      () => {
        const self: Record<string, unknown> = {};
        self['self'] = self;
        return { content: [], structuredContent: self };
      },
      "'self' cannot be written as JSON: it contains itself",
    ],
  ])('as %s is a masked failure, and the log says what to do', async (_, handle, logged) => {
    const logger = recordingLogger();
    const app = await appOf({ logger, definitions: [defineTool({ name: 'odd', handle })] });
    const client = await openSession(app);
    expect(await client.call('odd')).toEqual({ content: [said('Internal error')], isError: true });
    expect(logger.lines.map((line) => (line.details['err'] as Error).message)).toEqual([
      expect.stringContaining(logged),
    ]);
  });

  test.each<[string, () => unknown, unknown]>([
    ['an empty object', () => ({ a: {}, b: Object.create(null) as object }), { a: {}, b: {} }],
    [
      'an instance whose class has methods and a getter',
      () => {
        class Row {
          name = 'Ada';
          greet(): string {
            return this.shown;
          }
          get shown(): string {
            return `Dear ${this.name}`;
          }
        }
        return { rows: [new Row()] };
      },
      { rows: [{ name: 'Ada' }] },
    ],
    ['an instance without members', () => ({ a: new (class Empty {})() }), { a: {} }],
    ['a boxed number', () => ({ a: Object(5) as object }), { a: 5 }],
    ['a buffer without view', () => ({ a: bytes.buffer }), { a: 'AQID' }],
    ['data that has content', () => ({ content: ['x', { text: 'y' }] }), { content: ['x', { text: 'y' }] }],
    [
      'content with types and more',
      () => ({ title: 'x', content: [{ type: 'p' }] }),
      { title: 'x', content: [{ type: 'p' }] },
    ],
    [
      'a whole result with a Map',
      () => ({ content: [], structuredContent: { a: new Map([['b', 1n]]) } }),
      { a: { b: '1' } },
    ],
  ])('as %s is structured content', async (_, handle, structured) => {
    const app = await appOf({ definitions: [defineTool({ name: 'fine', handle })] });
    expect((await (await openSession(app)).call('fine'))['structuredContent']).toEqual(structured);
  });

  test('as an invalid date in what a resource returned is an error, and the log says where', async () => {
    const logger = recordingLogger();
    const handle = () => ({ at: new Date('x') });
    const app = await appOf({
      logger,
      definitions: [defineResource({ name: 'odd', uri: 'odd://it', handle })],
    });
    const client = await openSession(app);
    expect(await client.error('resources/read', { uri: 'odd://it' })).toMatchObject({ code: -32603 });
    expect((logger.lines[0]?.details['err'] as Error).message).toContain("'at' cannot be written as JSON");
  });

  test('as what JSON would lose or refuse is written by what it is', async () => {
    const value = {
      count: 2n ** 70n,
      set: new Set([1, 2]),
      map: new Map([['a', new Map([['b', 1n]])]]),
      failure: Object.assign(new TypeError('no such thing'), { code: 7 }),
      told: new ToolError('Request less'),
      list: [new Set(['x'])],
    };
    const client = await openSession(
      await appOf({
        definitions: [
          defineTool({ name: 'odd', handle: () => value }),
          defineTool({ name: 'map', handle: () => value.map }),
        ],
      }),
    );
    const { structuredContent } = await client.call('odd');
    expect(structuredContent).toEqual({
      count: '1180591620717411303424',
      set: [1, 2],
      map: { a: { b: '1' } },
      failure: { name: 'Error', message: 'Internal error' },
      told: { name: 'ToolError', message: 'Request less' },
      list: [['x']],
    });
    expect((await client.call('map'))['structuredContent']).toEqual({ a: { b: '1' } });
  });
});

describe('what nothing can be made of', () => {
  test.each<[string, unknown]>([
    ['a function', () => 'secret source'],
    ['a symbol', Symbol('s')],
    ['a result whose isError is a text', { content: [], isError: 'yes' }],
    ['a result whose _meta is a number', { content: [], _meta: 5 }],
  ])('%s is a masked failure of a tool', async (_what, value) => {
    const app = await appOf({ definitions: [defineTool({ name: 'odd', handle: () => value })] });
    expect(await (await openSession(app)).call('odd')).toEqual({
      content: [{ type: 'text', text: 'Internal error' }],
      isError: true,
    });
  });

  test('an object that JSON writes as nothing is no content', async () => {
    const app = await appOf({
      definitions: [defineTool({ name: 'odd', handle: () => ({ toJSON: () => undefined }) })],
    });
    expect(await (await openSession(app)).call('odd')).toEqual({ content: [] });
  });

  test.each<[string, unknown]>([
    ['a function', () => 'x'],
    ['an object that JSON writes as nothing', { toJSON: () => undefined }],
  ])('%s is a failure of a resource', async (_what, value) => {
    const app = await appOf({
      definitions: [defineResource({ name: 'odd', uri: 'odd://it', handle: () => value })],
    });
    const client = await openSession(app);
    expect(await client.error('resources/read', { uri: 'odd://it' })).toMatchObject({ code: -32603 });
  });

  test('messages that are none are a failure of a prompt', async () => {
    const app = await appOf({
      definitions: [definePrompt({ name: 'odd', handle: () => ({ messages: [null] }) as never })],
    });
    expect(await (await openSession(app)).error('prompts/get', { name: 'odd' })).toMatchObject({
      code: -32603,
    });
  });

  test.each<[string, () => unknown]>([
    [
      'a proxy that answers nothing',
      () =>
        new Proxy(
          {},
          {
            get() {
              throw new Error('get');
            },
            getPrototypeOf() {
              throw new Error('getPrototypeOf');
            },
          },
        ),
    ],
    [
      'a proxy that was revoked',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
  ])('%s, thrown by a tool, fails the tool as any other error does', async (_what, make) => {
    const logger = recordingLogger();
    const handle = () => {
      throw make();
    };
    const app = await appOf({ logger, definitions: [defineTool({ name: 'odd', handle })] });
    expect(await (await openSession(app)).call('odd')).toEqual({
      content: [said('Internal error')],
      isError: true,
    });
    expect(logger.lines.map((line) => (line.details['err'] as Error).message)).toEqual([
      'a handler threw a value whose properties cannot be read',
    ]);
  });

  test('structured content of a ToolError costs it neither its text nor its big numbers', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const failing = (name: string, structuredContent: unknown) =>
      defineTool({
        name,
        handle() {
          throw new ToolError('Too much', { structuredContent });
        },
      });
    const client = await openSession(
      await appOf({ definitions: [failing('big', { left: 5n }), failing('cyclic', cycle)] }),
    );
    const content = [{ type: 'text', text: 'Too much' }];
    expect(await client.call('big')).toEqual({ content, isError: true, structuredContent: { left: '5' } });
    expect(await client.call('cyclic')).toEqual({ content, isError: true });
  });

  test('the code of a ProtocolError is an integer', () => {
    expect(() => new ProtocolError(Number.NaN, 'x')).toThrow(RangeError);
    expect(() => new ProtocolError(1.5, 'x')).toThrow(RangeError);
  });

  test.each(['/pay?id=1', 'javascript:alert(1)', 'https://', undefined])(
    'users are sent to no page %p',
    (url) => {
      expect(() => ask.url('Pay', url as string)).toThrow('absolute http or https URL');
    },
  );
});

describe('what a resource returns', () => {
  const uri = 'config://app';

  test.each<[string, unknown, unknown]>([
    ['a string', 'x', [{ uri, mimeType: 'text/plain', text: 'x' }]],
    ['an empty string', '', [{ uri, mimeType: 'text/plain', text: '' }]],
    ['bytes [checklist 37]', bytes, [{ uri, mimeType: 'application/octet-stream', blob: 'AQID' }]],
    ['a Buffer', Buffer.from(bytes), [{ uri, mimeType: 'application/octet-stream', blob: 'AQID' }]],
    ['an ArrayBuffer', bytes.buffer, [{ uri, mimeType: 'application/octet-stream', blob: 'AQID' }]],
    ['an object', { a: 1 }, [{ uri, mimeType: 'application/json', text: '{"a":1}' }]],
    ['an array', [1], [{ uri, mimeType: 'application/json', text: '[1]' }]],
    ['an empty array', [], [{ uri, mimeType: 'application/json', text: '[]' }]],
    ['a number', 0, [{ uri, mimeType: 'application/json', text: '0' }]],
    ['contents', resourceContents.text('x://y', 'z'), [{ uri: 'x://y', mimeType: 'text/plain', text: 'z' }]],
    [
      'several contents',
      [resourceContents.text('x://1', 'a'), resourceContents.blob('x://2', bytes)],
      [
        { uri: 'x://1', mimeType: 'text/plain', text: 'a' },
        { uri: 'x://2', mimeType: 'application/octet-stream', blob: 'AQID' },
      ],
    ],
    ['a whole result', { contents: [{ uri, text: 'x' }] }, [{ uri, text: 'x' }]],
  ])('as %s is encoded by its kind', async (_, value, contents) => {
    const app = await appOf({ definitions: [defineResource({ uri, name: 'app', handle: () => value })] });
    const client = await openSession(app);
    expect(await client.result('resources/read', { uri })).toEqual({ contents });
  });

  test.each<[string, unknown]>([
    ['a string', 'x'],
    ['an object', { a: 1 }],
    ['bytes', bytes],
  ])('as %s has the MIME type of the definition', async (_, value) => {
    const definition = defineResource({ uri, name: 'app', mimeType: 'x/y', handle: () => value });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.result('resources/read', { uri })).toMatchObject({ contents: [{ mimeType: 'x/y' }] });
  });

  test.each([[undefined], [null]])('as %s means that there is no such resource', async (value) => {
    const definition = defineResource({ uri, name: 'app', handle: () => value });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.error('resources/read', { uri })).toMatchObject({ code: -32002, data: { uri } });
  });
});

describe('what a prompt returns', () => {
  const written = (role: string, content: unknown) => ({ role, content });

  test.each<[string, unknown, unknown]>([
    ['a string', 'x', [written('user', said('x'))]],
    [
      'content',
      content.image('AQID', 'image/png'),
      [written('user', { type: 'image', data: 'AQID', mimeType: 'image/png' })],
    ],
    ['a message', message.assistant('x'), [written('assistant', said('x'))]],
    [
      'several messages',
      [message.user('a'), message.assistant(content.text('b')), 'c'],
      [written('user', said('a')), written('assistant', said('b')), written('user', said('c'))],
    ],
  ])('as %s becomes messages', async (_, value, messages) => {
    const definition = definePrompt({ name: 'ask', description: 'Asks', handle: () => value });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.result('prompts/get', { name: 'ask' })).toEqual({ description: 'Asks', messages });
  });

  test('as a whole result is itself', async () => {
    const whole = { description: 'Mine', messages: [message.user('x')] };
    const definition = definePrompt({ name: 'ask', description: 'Asks', handle: () => whole });
    const client = await openSession(await appOf({ definitions: [definition] }));
    expect(await client.result('prompts/get', { name: 'ask' })).toEqual(whole);
  });

  test.each([[undefined], [null], [7], [{ a: 1 }]])('as %j is a masked failure', async (value) => {
    const logger = recordingLogger();
    const definition = definePrompt({ name: 'ask', handle: () => value });
    const client = await openSession(await appOf({ logger, definitions: [definition] }));
    expect(await client.error('prompts/get', { name: 'ask' })).toEqual({
      code: -32603,
      message: 'Internal error',
    });
    expect(String(logger.lines[0]?.details['err'])).toContain('a prompt must return');
  });
});

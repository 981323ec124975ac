import { createApp, DefinitionError, defineTool, type Principal } from '@sigil/core';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { META, type RunningRuntime } from '@sigil/core/transport';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stdio, type StdioOptions } from '../src/index.js';
import { FakeEndpoint } from './fixtures/fake-endpoint.js';

interface Started {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly running: RunningRuntime;
  /** What has been written so far, parsed, line by line. */
  sent(): unknown[];
}

async function start(endpoint: FakeEndpoint, options: StdioOptions = {}): Promise<Started> {
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const running = await stdio({ input, output, handleSignals: false, ...options }).start(endpoint);
  const sent = (): unknown[] => {
    const text = Buffer.concat(chunks).toString();
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
  };
  return { input, output, running, sent };
}

const echo = (): FakeEndpoint =>
  new FakeEndpoint((message, sink) => sink.end(JSON.stringify({ echo: message })));

test('calls are made by who the options say, with their scopes [A17]', async () => {
  const whoami = defineTool({
    name: 'whoami',
    scopes: ['account'],
    handle: (_args, { principal }) => principal?.id,
  });
  const answers = async (principal: Principal | undefined): Promise<string> => {
    const app = await createApp({ name: 'a', version: '1.0.0', definitions: [whoami] });
    const [input, output] = [new PassThrough(), new PassThrough()];
    const { closed } = await app.run(
      stdio({ input, output, handleSignals: false, ...(principal ? { principal } : {}) }),
    );
    const _meta = {
      [META.protocolVersion]: '2026-07-28',
      [META.clientInfo]: { name: 'c', version: '1.0.0' },
      [META.clientCapabilities]: {},
    };
    const params = { name: 'whoami', arguments: {}, _meta };
    input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    await closed;
    return String(output.read());
  };
  expect(await answers({ id: 'me', scopes: ['account'] })).toContain('"text":"me"');
  for (const principal of [{ id: 'me' }, undefined])
    expect(JSON.parse(await answers(principal))).toMatchObject({
      error: { code: 403, data: { authorization: { scopes: ['account'] } } },
    });
});

describe('stdio', () => {
  test('gives each line to the connection and writes what the connection sends', async () => {
    const endpoint = echo();
    const { input, running, sent } = await start(endpoint);
    input.end('{"id":1}\r\n\n[{"id":2}]\n{"id":3}');
    await running.closed;
    expect(endpoint.received).toEqual([{ id: 1 }, [{ id: 2 }], { id: 3 }]);
    expect(sent()).toEqual([{ echo: { id: 1 } }, { echo: [{ id: 2 }] }, { echo: { id: 3 } }]);
    expect(running.address).toBe('');
  });

  test('reads a message whose characters are cut between chunks', async () => {
    const message = { text: '\u00e9\u4e2d\u{1f600}' };
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(bytes.length), async (first, second) => {
        const endpoint = new FakeEndpoint();
        const { input, running } = await start(endpoint);
        const [a, b] = first < second ? [first, second] : [second, first];
        for (const chunk of [bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)]) {
          input.write(chunk);
          await turn();
        }
        input.end();
        await running.closed;
        expect(endpoint.received).toEqual([message]);
      }),
      { numRuns: 50 },
    );
  });

  test('answers a line that is too long and lives on', async () => {
    const endpoint = echo();
    const { input, running, sent } = await start(endpoint, { limits: { maxLineBytes: 20 } });
    input.end(`{"text":"${'x'.repeat(100)}"}\n{"id":1}\n`);
    await running.closed;
    expect(sent()).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'A message is longer than 20 bytes' } },
      { echo: { id: 1 } },
    ]);
  });

  test.each([
    ['is not JSON', Buffer.from('{"id":')],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['ends within a character', Buffer.from([0x22, 0xc3, 0x22])],
  ])('answers a line that %s and lives on', async (_what, line) => {
    const endpoint = echo();
    const { input, running, sent } = await start(endpoint);
    input.write(line);
    input.end('\n{"id":1}\n');
    await running.closed;
    expect(sent()).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
      { echo: { id: 1 } },
    ]);
  });

  test('answers a line of more than 20,000 items without parsing it, and lives on', async () => {
    const { input, running, sent } = await start(echo());
    input.end(`[${Array(50_001).fill('{}').join()}]\n{"id":1}\n`);
    await running.closed;
    expect(sent()).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Invalid request: it has more than 20000 members and items' },
      },
      { echo: { id: 1 } },
    ]);
  });

  test('logs what the connection throws and lives on', async () => {
    const endpoint = new FakeEndpoint((message) => {
      if (message === 1) throw new Error('boom');
    });
    const { input, running } = await start(endpoint);
    input.end('1\n2\n');
    await running.closed;
    expect(endpoint.received).toEqual([1, 2]);
    expect(endpoint.logged).toMatchObject([{ details: { error: { message: 'boom' } } }]);
  });

  test('writes the answers of one turn in one piece', async () => {
    const writes: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        writes.push(chunk);
        done();
      },
    });
    const { input, running } = await start(
      new FakeEndpoint((message, sink) => {
        void Promise.resolve().then(() => sink.end(JSON.stringify(message)));
      }),
      { output },
    );
    input.write('1\n2\n3\n');
    await turn();
    await turn();
    expect(writes).toEqual(['1\n2\n3\n']);
    await running.close();
  });

  test('reads no more while the output is full', async () => {
    const endpoint = echo();
    const output = new PassThrough({ highWaterMark: 8 });
    const { input, running } = await start(endpoint, { output });
    input.write('1\n');
    await turn();
    await turn();
    expect(input.isPaused()).toBe(true);
    input.write('2\n');
    await turn();
    expect(endpoint.received).toEqual([1]);
    output.resume();
    await turn();
    await turn();
    expect(input.isPaused()).toBe(false);
    expect(endpoint.received).toEqual([1, 2]);
    await running.close();
  });

  describe('with a client that does not read', () => {
    const notification = (method: string, pad = ''): string =>
      JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params: { pad } });
    const KB = 'x'.repeat(1_000);

    test('holds notifications up to the bound, drops log messages and progress beyond it, and says so once', async () => {
      const endpoint = new FakeEndpoint();
      const output = new PassThrough({ highWaterMark: 8 });
      const { running } = await start(endpoint, { output, limits: { maxBufferedBytes: 20_000 } });
      for (let count = 0; count < 1_000; count++) {
        endpoint.sink.send(notification(count % 2 === 0 ? 'message' : 'progress', KB));
        if (count % 100 === 0) await turn();
      }
      endpoint.sink.end('"answer"');
      endpoint.sink.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      await turn();
      expect(endpoint.logged).toEqual([
        {
          details: { maxBufferedBytes: 20_000 },
          message: expect.stringContaining('are dropped'),
        },
      ]);
      const chunks: Buffer[] = [];
      output.on('data', (chunk: Buffer) => chunks.push(chunk));
      await turn();
      await turn();
      endpoint.sink.send(notification('message', 'again'));
      await running.close();
      const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
      expect(lines.length).toBeLessThan(25);
      expect(lines.slice(-3)).toEqual([
        '"answer"',
        '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        notification('message', 'again'),
      ]);
      expect(endpoint.events).toEqual(['drain 750', 'drained']);
    });

    test('ends the connection, with a line in the log, before another notification is lost', async () => {
      const endpoint = new FakeEndpoint();
      const output = new PassThrough({ highWaterMark: 8 });
      const { running } = await start(endpoint, { output, limits: { maxBufferedBytes: 20_000 }, drainMs: 0 });
      for (let count = 0; count < 100; count++) endpoint.sink.send(notification('resources/updated', KB));
      await running.closed;
      expect(endpoint.events).toEqual(['close The client is gone']);
      expect(endpoint.logged).toEqual([
        { details: { maxBufferedBytes: 20_000 }, message: expect.stringContaining('is closed') },
      ]);
    });

    test('counts no answers: they may be as long as they are', async () => {
      const endpoint = new FakeEndpoint();
      const { running, sent } = await start(endpoint, { limits: { maxBufferedBytes: 100 } });
      for (let count = 0; count < 5; count++) endpoint.sink.end(JSON.stringify(KB));
      endpoint.sink.send(notification('resources/updated'));
      await running.close();
      expect(sent()).toHaveLength(6);
      expect(endpoint.logged).toEqual([]);
    });
  });

  test('drains the connection at the end of the input, writes what is left, then closes', async () => {
    const endpoint = new FakeEndpoint();
    let finish = (): void => undefined;
    endpoint.pending = new Promise((resolve) => {
      finish = resolve;
    });
    const { input, running, sent } = await start(endpoint, { drainMs: 1234 });
    input.end();
    await turn();
    await turn();
    expect(endpoint.events).toEqual(['drain 1234']);
    endpoint.sink.end('"late"');
    finish();
    await running.closed;
    expect(endpoint.events).toEqual(['drain 1234', 'drained']);
    expect(sent()).toEqual(['late']);
  });

  test('closes also when draining fails', async () => {
    const endpoint = new FakeEndpoint();
    endpoint.pending = Promise.reject(new Error('boom'));
    const { running } = await start(endpoint);
    await running.close();
    expect(endpoint.logged).toMatchObject([{ details: { error: { message: 'boom' } } }]);
  });

  test('closes once, however often it is asked to', async () => {
    const endpoint = new FakeEndpoint();
    const { input, running } = await start(endpoint);
    await Promise.all([running.close(), running.close()]);
    input.end('1\n');
    await running.closed;
    await turn();
    expect(endpoint.events).toEqual(['drain 750', 'drained']);
    expect(endpoint.received).toEqual([]);
  });

  test('takes nothing of a chunk after the message that closed it', async () => {
    const endpoint: FakeEndpoint = new FakeEndpoint(() => void started.running.close());
    const started = await start(endpoint);
    started.input.write('1\n2\n');
    await started.running.closed;
    expect(endpoint.received).toEqual([1]);
  });

  test.each(['EPIPE', 'ECONNRESET'])(
    'closes the connection in silence when the client hangs up: %s',
    async (code) => {
      const endpoint = echo();
      const output = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
      });
      const { input, running } = await start(endpoint, { output });
      input.write('1\n');
      await running.closed;
      expect(endpoint.events).toEqual(['close The client is gone']);
      expect(endpoint.logged).toEqual([]);
    },
  );

  test('reports another failure of the output', async () => {
    const endpoint = echo();
    const { output, running } = await start(endpoint);
    output.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await running.closed;
    expect(endpoint.logged).toMatchObject([{ details: { error: { code: 'ENOSPC' } } }]);
  });

  test('ends a drain early when the client hangs up meanwhile', async () => {
    const endpoint = new FakeEndpoint();
    endpoint.pending = new Promise(() => undefined);
    const close = endpoint.close.bind(endpoint);
    const { input, output, running } = await start(endpoint);
    let release = (): void => undefined;
    endpoint.pending = new Promise((resolve) => {
      release = resolve;
    });
    endpoint.close = (reason) => {
      close(reason);
      release();
    };
    input.end();
    await turn();
    await turn();
    output.destroy();
    await running.closed;
    expect(endpoint.events).toEqual(['drain 750', 'close The client is gone', 'drained']);
  });

  test('ends when the input fails or is destroyed', async () => {
    const failing = new FakeEndpoint();
    const first = await start(failing);
    first.input.destroy(new Error('unplugged'));
    await first.running.closed;
    expect(failing.logged).toMatchObject([{ details: { error: { message: 'unplugged' } } }]);

    const input = new PassThrough();
    input.destroy();
    const second = await start(new FakeEndpoint(), { input });
    await second.running.closed;
  });

  test('does not guard standard output, nor listen to signals, unless it is concerned', async () => {
    const before = [process.stdout.write, process.listenerCount('SIGTERM')];
    const { running } = await start(new FakeEndpoint());
    expect([process.stdout.write, process.listenerCount('SIGTERM')]).toEqual(before);
    await running.close();
  });

  test('stops listening to signals when it closes', async () => {
    const before = process.listenerCount('SIGTERM');
    const { running } = await start(new FakeEndpoint(), { handleSignals: true });
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    await running.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  test.each([
    { limits: { maxLineBytes: 0 } },
    { limits: { maxLineBytes: 1.5 } },
    { limits: { maxLineBytes: NaN } },
    { limits: { maxBufferedBytes: 0 } },
    { limits: { maxBufferedBytes: 1.5 } },
    { handleSignals: 'false' as never },
    { input: 5 as never },
    { drainMs: '5' as never },
    { drainMs: -1 },
    { drainMs: Infinity },
  ])('refuses options that are out of range: %j', (options) => {
    expect(() => stdio(options)).toThrow(DefinitionError);
  });
});

test.each([
  ['says in a terminal that it waits for a client', true, 1],
  ['says nothing where a client has started it', undefined, 0],
])('%s', async (_, isTTY, lines) => {
  const endpoint = new FakeEndpoint();
  const input = Object.assign(new PassThrough(), { isTTY });
  const running = await stdio({ input, output: new PassThrough(), handleSignals: false }).start(endpoint);
  expect(endpoint.logged).toHaveLength(lines);
  await running.close();
});

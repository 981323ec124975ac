import { describe, expect, test } from '@jest/globals';
import { createApp, defineTool, ProtocolError } from '@sigil/core';
import { http } from '@sigil/http';
import { Calls } from './calls.js';
import { type Kind, type Official, v1, v2Legacy } from './clients.js';
import { until } from './processes.js';
import { TcpProxy } from './tcp-proxy.js';

const QUIET = { debug: none, info: none, warn: none, error: none };

/** What a test sees of the calls of `work` on the server, and what it decides. */
class Work {
  started = 0;
  finished = 0;
  #release: () => void = () => undefined;
  readonly released = new Promise<void>((resolve) => (this.#release = resolve));

  release(): void {
    this.#release();
  }
}

/** A client in the middle of a call, behind a connection that can be broken. */
interface Caller extends AsyncDisposable {
  readonly work: Work;
  readonly proxy: TcpProxy;
  readonly calls: Calls;
  /** Responses that reached the client since it was connected. */
  readonly answers: readonly unknown[];
  /** Starts a call, and writes down the progress it reports. */
  start(how: string, progress: number[], signal?: AbortSignal): ReturnType<Calls['tool']>;
}

async function connect(kind: Kind): Promise<Caller> {
  const work = new Work();
  const app = await createApp({
    name: 'resuming',
    version: '1.0.0',
    logger: QUIET,
    definitions: [
      defineTool({
        name: 'work',
        description: 'Works until the test says so',
        input: { type: 'object', properties: { how: { type: 'string' } } },
        handle: async ({ how }, context) => {
          work.started += 1;
          context.progress(1);
          if (how === 'let go') context.closeStream(20);
          await work.released;
          context.progress(2);
          work.finished += 1;
          if (how === 'fail') throw new ProtocolError(-32000, 'no luck');
          return 'worked';
        },
      }),
    ],
  });
  const options = { port: 0, handleSignals: false, drainMs: 0, streams: { retryMs: 50, afterMs: 50 } };
  const running = await app.run(http(options));
  const { proxy, address } = await TcpProxy.before(running.address);
  const official = await kind.connect({ address });
  const calls = new Calls(official.client);
  return {
    work,
    proxy,
    calls,
    answers: listenForAnswers(official),
    start: (how, progress, signal) =>
      calls.tool(
        'work',
        { how },
        { ...(signal ? { signal } : {}), onprogress: (step) => void progress.push(step.progress) },
      ),
    async [Symbol.asyncDispose]() {
      await official.client.close();
      await proxy.close();
      await app.close();
    },
  };
}

// Each waits for what must not come: they do that together.
describe.each(
  [v1('2025-11-25'), v2Legacy('2025-11-25'), v1('2025-06-18'), v2Legacy('2025-06-18')].map(
    (kind): readonly [string, Kind] => [kind.name, kind],
  ),
)('%s, whose connection breaks in the middle of a call,', (_name, kind) => {
  const isPolling = kind.speaks >= '2025-11-25';

  test.concurrent('gets the result of work that ended meanwhile, exactly once [checklist 28]', async () => {
    await using caller = await connect(kind);
    const { start, work, proxy, answers } = caller;
    const progress: number[] = [];
    const pending = start('keep', progress);
    await until(() => progress.length > 0);
    proxy.drop();
    work.release();
    await until(() => work.finished === 1);
    expect((await pending).text).toBe('worked');
    await settle();
    expect({ progress, started: work.started, answers: answers.length }).toEqual({
      progress: [1, 2],
      started: 1,
      answers: 1,
    });
  });

  test.concurrent(
    'gets the result of work that went on after it came back, exactly once [checklist 28]',
    async () => {
      await using caller = await connect(kind);
      const { start, work, proxy, answers } = caller;
      const progress: number[] = [];
      const pending = start('keep', progress);
      await until(() => progress.length > 0);
      for (let turn = 0; turn < (isPolling ? 3 : 1); turn++) {
        const { connections } = proxy;
        proxy.drop();
        await until(() => proxy.connections >= connections + 1);
        await settle();
      }
      work.release();
      expect((await pending).text).toBe('worked');
      await settle();
      expect({ progress, started: work.started, answers: answers.length }).toEqual({
        progress: [1, 2],
        started: 1,
        answers: 1,
      });
    },
  );

  test.concurrent('goes on with other calls afterwards', async () => {
    await using caller = await connect(kind);
    const { start, calls, work, proxy } = caller;
    const progress: number[] = [];
    const pending = start('keep', progress);
    await until(() => progress.length > 0);
    proxy.drop();
    work.release();
    await pending;
    expect(await calls.text('work')).toBe('worked');
    expect(work.started).toBe(2);
  });

  test.concurrent('gets an error as well, and comes to rest then', async () => {
    await using caller = await connect(kind);
    const { start, work, proxy, answers } = caller;
    const progress: number[] = [];
    const pending = start('fail', progress);
    await until(() => progress.length > 0);
    proxy.drop();
    work.release();
    await expect(pending).rejects.toMatchObject({ code: -32000 });
    expect(answers).toHaveLength(1);
    await expectRest(proxy);
  });

  test.concurrent('comes to rest after a call that it has cancelled', async () => {
    await using caller = await connect(kind);
    const { start, calls, work, proxy } = caller;
    const progress: number[] = [];
    const gone = new AbortController();
    const pending = start('keep', progress, gone.signal);
    await until(() => progress.length > 0);
    gone.abort(new Error('changed my mind'));
    await expect(pending).rejects.toThrow();
    work.release();
    expect(await calls.text('work')).toBe('worked');
    await expectRest(proxy);
  });

  if (isPolling) {
    test.concurrent('gets the result although the server had said nothing yet [checklist 28]', async () => {
      await using caller = await connect(kind);
      const { calls, work, proxy, answers } = caller;
      // The response has begun as a stream once there is something to come back with.
      const tokens: string[] = [];
      const pending = calls.tool('work', {}, { onresumptiontoken: (token) => void tokens.push(token) });
      await until(() => work.started === 1 && tokens.length > 0);
      proxy.drop();
      work.release();
      expect((await pending).text).toBe('worked');
      await settle();
      expect([work.started, answers.length]).toEqual([1, 1]);
    });

    test.concurrent('or is let go by the handler gets the result, exactly once [checklist 28]', async () => {
      await using caller = await connect(kind);
      const { start, work, answers } = caller;
      const progress: number[] = [];
      const pending = start('let go', progress);
      await until(() => progress.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      work.release();
      expect((await pending).text).toBe('worked');
      await settle();
      expect({ progress, started: work.started, answers: answers.length }).toEqual({
        progress: [1, 2],
        started: 1,
        answers: 1,
      });
    });
  }
});

/** Counts the responses that a client gets. */
function listenForAnswers({ client }: Official): unknown[] {
  const answers: unknown[] = [];
  const transport = client.transport as { onmessage?: (message: never, ...more: never[]) => void };
  const receive = transport.onmessage;
  transport.onmessage = (message: never, ...more) => {
    if ('result' in message || 'error' in message) answers.push(message);
    receive?.(message, ...more);
  };
  return answers;
}

/** Sees to it that the client does not connect again and again. */
async function expectRest(proxy: TcpProxy): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const { requests } = proxy;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(proxy.requests).toBe(requests);
}

/** Leaves time for anything that would come twice. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}

function none(): void {
  // What the server logs is not under test here.
}

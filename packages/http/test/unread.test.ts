import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import type { Principal } from '@sigil/core/transport';
import type { HttpOptions } from '../src/index.js';
import { createFixture, type Fixture } from './fixtures/app.js';
import { BRIDGES, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { type Line, recordingLogger } from './fixtures/log.js';
import { callModern, json, textOf } from './fixtures/messages.js';
import { until, within } from './fixtures/within.js';

const MIB = 1024 * 1024;
const PROGRESS = { progressToken: 'p' };

interface Bench extends Fixture, Mounted {
  readonly lines: readonly Line[];
}

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What warnings say of clients that are cut off or refused: their options and reasons. */
function warnings(lines: readonly Line[]): unknown[] {
  return lines.filter(({ level }) => level === 'warn').map(({ details }) => details);
}

/** Bytes of the heap and of buffers, after a collection. */
function memoryUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'what clients leave unread · %s',
  (_name, bridge) => {
    async function serve(options: HttpOptions): Promise<Bench> {
      const { logger, lines } = recordingLogger();
      const fixture = await createFixture({ logger });
      fixture.app.tools.add(
        defineTool({
          name: 'fill',
          description:
            'Reports progress of one megabyte sixteen times, answers, and says whether its client stayed',
          handle: async (_args, context) => {
            for (let step = 1; step <= 16 && !context.signal.aborted; step++) {
              context.progress(step, undefined, 'x'.repeat(1_000_000));
              await delay(5);
            }
            return 'filled';
          },
        }),
      );
      const bench = { ...fixture, ...(await bridge.mount(fixture.app, options)), lines };
      closing.push(
        () => bench.close(0),
        () => bench.app.close(),
      );
      return bench;
    }

    /** Sends calls whose answers are not read. @returns lets their clients go away. */
    async function leaveUnread(
      bench: Bench,
      calls: number,
      name: string,
      args: Record<string, unknown> = {},
      headers: Record<string, string> = {},
    ): Promise<() => void> {
      const gone = new AbortController();
      const spoilt = { meta: PROGRESS, signal: gone.signal, headers };
      for (let call = 0; call < calls; call++) await callModern(bench, name, args, spoilt);
      closing.unshift(() => Promise.resolve(gone.abort()));
      return () => gone.abort();
    }

    /** The text of the answer at the end of a stream, or why there is none. */
    async function fill(bench: Bench, headers: Record<string, string> = {}): Promise<unknown> {
      const response = await callModern(bench, 'fill', {}, { meta: PROGRESS, headers });
      const messages = await within(new EventReader(response).rest(), 5_000).catch(() => []);
      return textOf(messages.at(-1));
    }

    test('of all streams together is bounded: what goes beyond is cut off, and the log says so once', async () => {
      const bench = await serve({ limits: { maxBufferedBytes: 32 * MIB, maxTotalBufferedBytes: 32 * MIB } });
      const leave = await leaveUnread(bench, 6, 'fill');
      await until(() => warnings(bench.lines).length > 0);
      await delay(200);
      expect(warnings(bench.lines)).toEqual([
        expect.objectContaining({ maxTotalBufferedBytes: 32 * MIB, httpMethod: 'POST' }),
      ]);
      leave();
      await until(async () => (await fill(bench)) === 'filled');
    });

    test('of one stream is bounded, and the log says so', async () => {
      const bench = await serve({ limits: { maxBufferedBytes: 1_000_000 } });
      await leaveUnread(bench, 1, 'fill');
      await until(() => warnings(bench.lines).length > 0);
      expect(warnings(bench.lines)).toEqual([expect.objectContaining({ maxBufferedBytes: 1_000_000 })]);
    });

    test('takes up hardly more than its length, however small its messages are', async () => {
      const bench = await serve({});
      const [messages, message] = [50_000, 'x'.repeat(20)];
      const taken: number[] = [];
      bench.app.tools.add(
        defineTool({
          name: 'chatter',
          description: 'Reports progress very often',
          handle: async (_args, context) => {
            // What others left behind goes in several collections.
            for (let round = 0; round < 4; round++, await delay(20)) memoryUsed();
            const before = memoryUsed();
            for (let step = 1; step <= messages; step++) context.progress(step, undefined, message);
            taken.push(memoryUsed() - before);
          },
        }),
      );
      await leaveUnread(bench, 1, 'chatter');
      await until(() => taken.length > 0);
      const params = { progressToken: 'p', progress: messages, message };
      const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
      const bytes = messages * `event: message\ndata: ${notification}\n\n`.length;
      expect((taken[0] ?? NaN) / bytes).toBeGreaterThan(0.5);
      expect((taken[0] ?? NaN) / bytes).toBeLessThan(1.5);
      expect(warnings(bench.lines)).toEqual([]);
    });

    test('of one principal is bounded, and takes no room of others', async () => {
      const authenticate = (request: { headers: Readonly<Record<string, unknown>> }): Principal => ({
        id: String(request.headers['x-user']),
      });
      const bench = await serve({
        limits: { maxBufferedBytes: 24 * MIB, maxTotalBufferedBytes: 96 * MIB },
        authenticate: authenticate as never,
      });
      await leaveUnread(bench, 5, 'fill', {}, { 'X-User': 'ada' });
      await until(() => warnings(bench.lines).length > 0);
      expect(warnings(bench.lines)).toEqual([expect.objectContaining({ principal: 'ada' })]);
      expect(await fill(bench, { 'X-User': 'bob' })).toBe('filled');
    });

    test('of long answers is bounded: where there is no room the answer is 503, until others are gone', async () => {
      const bench = await serve({ limits: { maxBufferedBytes: 32 * MIB, maxTotalBufferedBytes: 32 * MIB } });
      const leave = await leaveUnread(bench, 2, 'large', { letters: 12_000_000 });
      const refused = await within(callModern(bench, 'large', { letters: 12_000_000 }));
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await json(refused)).toMatchObject({ id: null, error: { code: -32603 } });
      expect(textOf(await json(await callModern(bench, 'echo', { text: 'short' })))).toBe('short');
      expect(warnings(bench.lines)).toEqual([expect.objectContaining({ path: expect.any(String) })]);
      leave();
      await until(async () => {
        const response = await callModern(bench, 'large', { letters: 12_000_000 });
        return String(textOf(await json(response))).length === 12_000_000;
      });
    });

    test('of a long answer that was read takes no room any more', async () => {
      const bench = await serve({ limits: { maxBufferedBytes: 4 * MIB, maxTotalBufferedBytes: 4 * MIB } });
      for (let turn = 0; turn < 5; turn++) {
        const response = await callModern(bench, 'large', { letters: 3_000_000 });
        expect(String(textOf(await json(response)))).toHaveLength(3_000_000);
      }
    });

    test('of a long answer is cut off once nothing of it is read for a while', async () => {
      const bench = await serve({ limits: { requestTimeoutMs: 150 } });
      const response = await callModern(bench, 'large', { letters: 16_000_000 });
      await until(() => warnings(bench.lines).length > 0);
      expect(warnings(bench.lines)).toEqual([expect.objectContaining({ requestTimeoutMs: 150 })]);
      await expect(within(response.text())).rejects.toThrow();
    });

    test('of a long answer that is read slowly is not cut off', async () => {
      const bench = await serve({ limits: { requestTimeoutMs: 1_000 } });
      const response = await callModern(bench, 'large', { letters: 15_000_000 });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let length = 0;
      for (let read = await reader.read(); read.value; read = await reader.read()) {
        length += read.value.byteLength;
        await delay(5);
      }
      expect(length).toBeGreaterThan(15_000_000);
      expect(warnings(bench.lines)).toEqual([]);
    });

    test('of a stream that has ended is cut off once nothing of it is read for a while', async () => {
      const bench = await serve({ limits: { requestTimeoutMs: 500 } });
      const response = await callModern(bench, 'fill', {}, { meta: PROGRESS });
      await until(() => warnings(bench.lines).length > 0);
      expect(warnings(bench.lines)).toEqual([expect.objectContaining({ requestTimeoutMs: 500 })]);
      await expect(within(response.text())).rejects.toThrow();
    });

    test('may not be bounded to less than what one stream may leave', async () => {
      const options = { limits: { maxBufferedBytes: 2 * MIB, maxTotalBufferedBytes: MIB } };
      await expect(serve(options)).rejects.toThrow(
        '({ limits.maxTotalBufferedBytes }): it must be at least maxBufferedBytes (2097152), not 1048576',
      );
    });
  },
);

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { defineTool, type RequestContext } from '../../src/index.js';
import { appOf, type LogLine, openSession, recordingLogger, settled } from '../harness.js';

/** Cancels a call whose handler does something with its signal. @returns the signal, and what the log says then. */
async function cancelled(
  listen: (signal: AbortSignal) => void,
): Promise<{ signal: AbortSignal; lines: readonly LogLine[] }> {
  const logger = recordingLogger();
  let signal: AbortSignal | undefined;
  const wait = defineTool({
    name: 'wait',
    handle: (_args: object, context: RequestContext) => {
      signal = context.signal;
      listen(context.signal);
      return new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    },
  });
  const client = await openSession(await appOf({ definitions: [wait], logger }));
  client.start('tools/call', { name: 'wait' }, 'w');
  await settled();
  client.notify('notifications/cancelled', { requestId: 'w', reason: 'enough' });
  await settled();
  if (!signal) throw new Error('the handler was not called');
  return { signal, lines: logger.lines.filter(({ level }) => level === 'error') };
}

const fail = (): never => {
  throw new Error('clumsy');
};

const failLater: () => unknown = async () => fail();

describe('a listener of the signal of a call', () => {
  test.each<[string, (signal: AbortSignal) => void]>([
    ['throws', (signal) => signal.addEventListener('abort', fail)],
    ['is asynchronous and fails', (signal) => signal.addEventListener('abort', failLater)],
    ['is an object whose method throws', (signal) => signal.addEventListener('abort', { handleEvent: fail })],
    ['is onabort and throws', (signal) => void (signal.onabort = fail)],
    ['is onabort, asynchronous, and fails', (signal) => void (signal.onabort = failLater)],
  ])('that %s ends nothing, and is logged with its definition', async (_what, listen) => {
    let heard = 0;
    const { lines } = await cancelled((signal) => {
      listen(signal);
      signal.addEventListener('abort', () => (heard += 1));
    });
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'a listener of ctx.signal failed',
        details: expect.objectContaining({ where: "defineTool('wait')", err: new Error('clumsy') }),
      },
    ]);
    expect(heard).toBe(1);
  });

  test('is called once, with the signal, unless it has been taken off', async () => {
    const heard: unknown[] = [];
    function listener(this: unknown, event: Event): void {
      heard.push([event.type, this === event.target]);
    }
    const { signal } = await cancelled((given) => {
      given.addEventListener('abort', listener);
      given.addEventListener('abort', listener, { once: true });
      given.addEventListener('abort', fail);
      given.removeEventListener('abort', fail);
      given.onabort = fail;
      given.onabort = null;
    });
    expect(heard).toEqual([['abort', true]]);
    expect(signal.onabort).toBeNull();
  });
});

test('the signal of a call is one as fetch and AbortSignal.any take it', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const made: AbortSignal[] = [];
  const requests: Promise<unknown>[] = [];
  const { signal } = await cancelled((given) => {
    made.push(AbortSignal.any([given, AbortSignal.timeout(60_000)]));
    requests.push(fetch(`http://127.0.0.1:${port}`, { signal: given }).catch((error: unknown) => error));
  });
  expect(signal).toBeInstanceOf(AbortSignal);
  expect(made.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await Promise.all(requests)).toEqual([new Error('enough')]);
  mute.closeAllConnections();
  mute.close();
});

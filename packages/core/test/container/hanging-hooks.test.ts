import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createApp, inject, provideFactory, Service, Tool } from '../../src/index.js';
import { memoryBackend } from '../../src/backend.js';
import { appOf, openSession, recordingLogger } from '../harness.js';

/** Never ends. */
const hang = () => new Promise<never>(() => undefined);

const app = { name: 'slow', version: '1.0.0' };
const state = { keys: ['k'.repeat(32)] };

class Tools {
  @Tool()
  one() {
    return 1;
  }
}

@Service()
class Gone {}

/** What has come of a promise so far. */
function outcomeOf(promise: Promise<unknown>): { is: unknown } {
  const outcome: { is: unknown } = { is: 'pending' };
  promise.then(
    () => (outcome.is = 'ended'),
    (error: unknown) => (outcome.is = (error as Error).message),
  );
  return outcome;
}

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

describe('a start that hangs', () => {
  class Initialises extends Tools {
    onInit() {
      return hang();
    }
  }
  class GetsReady extends Tools {
    onReady() {
      return hang();
    }
  }
  const opensNever = () => ({ ...memoryBackend(), open: hang });

  test.each<[string, Partial<Parameters<typeof createApp>[0]>]>([
    ['Initialises.onInit', { services: [Initialises] }],
    ['GetsReady.onReady', { services: [GetsReady] }],
    ['The provider of Gone', { services: [Tools], providers: [provideFactory(Gone, { useFactory: hang })] }],
    ['open() of the backend', { services: [Tools], backend: opensNever, state }],
  ])('is named after ten seconds, and each minute from then on: %s', async (hook, options) => {
    const logger = recordingLogger();
    const outcome = outcomeOf(createApp({ ...app, ...options, logger }));
    await jest.advanceTimersByTimeAsync(9_900);
    expect(logger.lines).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    const message = (seconds: number) =>
      `${hook} has been running for ${seconds} seconds: this must end before the app starts`;
    expect(logger.lines).toMatchObject([{ level: 'warn', message: message(10) }]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(logger.lines).toMatchObject([{}, { level: 'warn', message: message(70) }]);
    expect(outcome.is).toBe('pending');
  });

  test('is named no more once it goes on', async () => {
    const logger = recordingLogger();
    class Slow extends Tools {
      onInit() {
        return new Promise<void>((resolve) => setTimeout(resolve, 12_000));
      }
    }
    const outcome = outcomeOf(createApp({ ...app, services: [Slow], logger }));
    await jest.advanceTimersByTimeAsync(100_000);
    expect(outcome.is).toBe('ended');
    expect(logger.lines).toHaveLength(1);
  });
});

describe('an end that hangs', () => {
  class Closes extends Tools {
    onClose() {
      return hang();
    }
  }
  test.each<[string, Parameters<typeof appOf>[0]]>([
    ['Closes.onClose', { services: [Closes] }],
    [
      'Gone.dispose',
      {
        providers: [provideFactory(Gone, { useFactory: () => new Gone(), dispose: hang })],
        services: [Tools],
      },
    ],
  ])('is named after two seconds, and not waited for beyond five: %s', async (hook, options) => {
    const logger = recordingLogger();
    const given = await appOf({ ...options, logger });
    const outcome = outcomeOf(given.close());
    await jest.advanceTimersByTimeAsync(2_000);
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        message: `${hook} has been running for 2 seconds: closing waits at most 5 seconds for it`,
      },
    ]);
    expect(outcome.is).toBe('pending');
    await jest.advanceTimersByTimeAsync(3_000);
    expect(outcome.is).toMatch(/failed to close: it had not ended after the 5000 ms that closing may take$/);
  });

  test('keeps neither what is left nor the backend from closing', async () => {
    const closed: string[] = [];
    class Hangs extends Tools {
      readonly gone = inject(Gone);
      onClose() {
        return hang();
      }
    }
    const dispose = async () => void closed.push(await Promise.resolve('Gone'));
    const memory = memoryBackend();
    const given = await appOf({
      services: [Hangs],
      providers: [provideFactory(Gone, { useFactory: () => new Gone(), dispose })],
      state,
      backend: () => ({ ...memory, close: async () => void closed.push(await Promise.resolve('backend')) }),
      logger: recordingLogger(),
    });
    const outcome = outcomeOf(given.close());
    await jest.advanceTimersByTimeAsync(5_100);
    expect(closed).toEqual(['Gone', 'backend']);
    expect(outcome.is).toMatch(/^Hangs failed to close/);
  });

  test('of a backend is named, and bounded', async () => {
    const logger = recordingLogger();
    const given = await appOf({
      services: [Tools],
      backend: () => ({ ...memoryBackend(), close: hang }),
      state,
      logger,
    });
    const outcome = outcomeOf(given.close());
    await jest.advanceTimersByTimeAsync(5_100);
    expect(outcome.is).toMatch(/had not ended/);
    expect(logger.lines).toMatchObject([
      { message: expect.stringMatching(/^close\(\) of the backend has been running/) },
    ]);
  });

  test('of a service of a request does not keep the app open', async () => {
    const logger = recordingLogger();
    @Service({ scope: 'request' })
    class Transaction {
      [Symbol.asyncDispose]() {
        return hang();
      }
    }
    @Service({ scope: 'request' })
    class Orders {
      readonly transaction = inject(Transaction);
      @Tool()
      order() {
        return 1;
      }
    }
    const given = await appOf({ services: [Orders], logger });
    await (await openSession(given)).call('order');
    const outcome = outcomeOf(given.close());
    await jest.advanceTimersByTimeAsync(7_000);
    expect(outcome.is).toBe('ended');
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      [
        'warn',
        'Transaction.asyncDispose has been running for 2 seconds: closing waits at most 5 seconds for it',
      ],
      ['error', 'a service failed to close'],
    ]);
  });
});

import { manifestOf } from '../../src/manifest.js';
import { describe, expect, jest, test } from '@jest/globals';
import type { Endpoint, RunningRuntime, Runtime } from '../../src/transport/index.js';
import { memoryBackend } from '../../src/backend.js';
import { createApp, DefinitionError, defineTool, Tool } from '../../src/index.js';
import {
  appOf,
  deferred,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

/** A runtime that writes down what happens to it. */
function recordingRuntime(steps: string[], more: Partial<Runtime> = {}) {
  const ended = deferred();
  const handed: Endpoint[] = [];
  const runtime: Runtime = {
    name: 'recording',
    start: async (endpoint): Promise<RunningRuntime> => {
      steps.push('start');
      handed.push(endpoint);
      return {
        closed: ended.promise,
        address: 'nowhere',
        close: async () => {
          await settled();
          steps.push('runtime closed');
          ended.resolve();
        },
      };
    },
    ...more,
  };
  return { runtime, handed, end: () => ended.resolve() };
}

describe('an app', () => {
  test('starts a runtime and hands it its endpoint', async () => {
    const steps: string[] = [];
    const app = await appOf({});
    const { runtime, handed } = recordingRuntime(steps);
    const running = await app.run(runtime);
    expect(running.address).toBe('nowhere');
    expect(steps).toEqual(['start']);
    expect(handed).toEqual([app.endpoint]);
  });

  test('closes its runtimes first and its services last, once', async () => {
    const steps: string[] = [];
    class Tools {
      @Tool()
      one() {
        return 1;
      }
      destroy() {
        steps.push('services closed');
      }
    }
    const app = await appOf({ services: [Tools] });
    for (let count = 0; count < 2; count++) await app.run(recordingRuntime(steps).runtime);
    await Promise.all([app.close(), app.close()]);
    await settled();
    expect(steps.slice(2)).toEqual(['runtime closed', 'runtime closed', 'services closed']);
  });

  test('closes when its last runtime has ended by itself', async () => {
    const steps: string[] = [];
    class Tools {
      @Tool()
      one() {
        return 1;
      }
      destroy() {
        steps.push('services closed');
      }
    }
    const app = await appOf({ services: [Tools] });
    const [first, second] = [recordingRuntime([]), recordingRuntime([])];
    await app.run(first.runtime);
    await app.run(second.runtime);
    first.end();
    await settled();
    expect(steps).toEqual([]);
    second.end();
    await settled();
    expect(steps).toEqual(['services closed']);
  });

  test('that has been closed does not run again', async () => {
    const steps: string[] = [];
    const app = await appOf({});
    await app.close();
    await expect(app.run(recordingRuntime(steps).runtime)).rejects.toThrow('closed');
    expect(steps).toEqual([]);
  });

  test('passes on why a runtime does not start', async () => {
    const start = () => Promise.reject(new Error('EADDRINUSE'));
    const app = await appOf({});
    await expect(app.run(recordingRuntime([], { start }).runtime)).rejects.toThrow('EADDRINUSE');
  });

  describe('whose runtime does not start', () => {
    const failing = () =>
      recordingRuntime([], { start: () => Promise.reject(new Error('EADDRINUSE')) }).runtime;
    const begin = async () => {
      const close = jest.fn<() => void>();
      const app = await appOf({
        backend: { ...memoryBackend(), close },
        state: { keys: ['k'.repeat(32)] },
      });
      return { app, close };
    };
    const turns = () => new Promise((resolve) => setTimeout(resolve, 20));

    test('closes, so that its backend keeps no process', async () => {
      const { app, close } = await begin();
      await expect(app.run(failing())).rejects.toThrow('EADDRINUSE');
      await turns();
      expect(close).toHaveBeenCalledTimes(1);
      await expect(app.run(failing())).rejects.toThrow('This app has been closed');
    });

    test('goes on when it is run at once on another one', async () => {
      const { app, close } = await begin();
      const running = await app.run(failing()).catch(() => app.run(recordingRuntime([]).runtime));
      await turns();
      expect(close).not.toHaveBeenCalled();
      expect(running.address).toBe('nowhere');
      await app.close();
    });

    test('goes on when it is mounted, or runs elsewhere', async () => {
      const mounted = await begin();
      expect(mounted.app.endpoint).toBeDefined();
      const running = await begin();
      await running.app.run(recordingRuntime([]).runtime);
      for (const { app, close } of [mounted, running]) {
        await expect(app.run(failing())).rejects.toThrow('EADDRINUSE');
        await turns();
        expect(close).not.toHaveBeenCalled();
        await app.close();
      }
    });
  });

  test('may be run on several runtimes at once', async () => {
    const steps: string[] = [];
    const app = await appOf({});
    await app.run(recordingRuntime(steps).runtime);
    await app.run(recordingRuntime(steps).runtime);
    expect(steps).toHaveLength(2);
  });
});

describe('the log', () => {
  const failing = defineTool({
    name: 'fail',
    handle: () => {
      throw new Error('broken');
    },
  });

  test("goes to the runtime's logger unless the author gave one", async () => {
    const [own, theirs] = [recordingLogger(), recordingLogger()];
    const silent = await createApp({ name: 'test', version: '1.0.0', definitions: [failing] });
    await silent.run(recordingRuntime([], { logger: theirs }).runtime);
    await (await openSession(silent)).call('fail');
    expect(theirs.lines).toHaveLength(1);
    const speaking = await appOf({ definitions: [failing], logger: own });
    await speaking.run(recordingRuntime([], { logger: theirs }).runtime);
    await (await openSession(speaking)).call('fail');
    expect([own.lines.length, theirs.lines.length]).toEqual([1, 1]);
  });

  test('is printed on the console, warnings and errors alone, of an app that nobody runs or mounts', async () => {
    const printed = [jest.spyOn(console, 'error'), jest.spyOn(console, 'warn'), jest.spyOn(console, 'info')];
    for (const method of printed) method.mockImplementation(() => undefined);
    try {
      const app = await createApp({ name: 'test', version: '1.0.0', definitions: [failing] });
      await (await openSession(app)).call('fail');
      app.endpoint.logger.warn('careful');
      app.endpoint.logger.info('by the way');
      // As text: what a class adds to its errors, such as a request with credentials, is not printed.
      const details = expect.objectContaining({ err: expect.stringContaining('broken') });
      expect(printed.map(({ mock }) => mock.calls)).toEqual([
        [['a handler failed unexpectedly', details]],
        [['careful']],
        [],
      ]);
    } finally {
      for (const method of printed) method.mockRestore();
    }
  });

  test('is open to transports through the endpoint', async () => {
    const logger = recordingLogger();
    const app = await appOf({ logger });
    app.endpoint.logger.warn({ a: 1 }, 'from a transport');
    expect(logger.lines).toEqual([{ level: 'warn', details: { a: 1 }, message: 'from a transport' }]);
  });

  test('keeps quiet when there is nowhere to go', async () => {
    const app = await appOf({ definitions: [failing] });
    expect(textOf(await (await openSession(app)).call('fail'))).toBe('Internal error');
  });
});

describe('createApp', () => {
  test('needs nothing but a name and a version', async () => {
    const app = await appOf({});
    expect(manifestOf(app).server).toEqual({ name: 'test', version: '1.0.0' });
    expect(app.tools.keys()).toEqual([]);
  });

  test('does not name the server in results when told not to', async () => {
    const app = await appOf({
      definitions: [defineTool({ name: 'one', handle: () => 1 })],
      stampServerInfo: false,
    });
    expect(await statelessClient(app).call('one')).toEqual({
      content: [{ type: 'text', text: '1' }],
      resultType: 'complete',
    });
  });

  test('leaves nothing behind of a start that failed', async () => {
    const steps: string[] = [];
    class First {
      @Tool()
      one() {
        return 1;
      }
      destroy() {
        steps.push('first closed');
      }
    }
    class Second {
      constructor() {
        throw new Error('no database');
      }
      @Tool()
      two() {
        return 2;
      }
    }
    await expect(appOf({ services: [First, Second] })).rejects.toThrow('no database');
    expect(steps).toEqual(['first closed']);
  });

  test('throws errors that say they are of the definitions', async () => {
    const error: unknown = await appOf({ name: '' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(error).toMatchObject({ name: 'DefinitionError', code: 'SIGIL_INVALID_OPTIONS' });
  });
});

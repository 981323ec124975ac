import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  inject,
  type Provider,
  Service,
  type ServiceScope,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { appOf, clientOf, deferred, openSession, recordingLogger, settled } from '../harness.js';

const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

/** A class whose disposal is asynchronous and leaves its name in a list. */
function disposable(name: string, scope: ServiceScope, gone: string[], { fail = false, ms = 5 } = {}) {
  @Service({ scope })
  class Disposable {
    async [Symbol.asyncDispose]() {
      await pause(ms);
      gone.push(name);
      if (fail) throw new Error(`${name} failed`);
    }
  }
  return Disposable;
}

describe('closing an app', () => {
  test.each(['asyncDispose', 'dispose', 'onClose', 'destroy'])('calls %s of a singleton', async (way) => {
    let calls = 0;
    const key = way === 'asyncDispose' ? Symbol.asyncDispose : way === 'dispose' ? Symbol.dispose : way;
    class Tools {
      @Tool()
      one() {
        return 1;
      }
    }
    Object.defineProperty(Tools.prototype, key, { value: () => (calls += 1) });
    const app = await appOf({ services: [Tools] });
    expect(calls).toBe(0);
    await app.close();
    await app.close();
    expect(calls).toBe(1);
  });

  test('disposes of what was made last first, each awaited', async () => {
    const gone: string[] = [];
    const Database = disposable('database', 'singleton', gone);
    const Cache = disposable('cache', 'singleton', gone);
    class Tools {
      readonly database = inject(Database);
      readonly cache = inject(Cache);
      @Tool()
      one() {
        return 1;
      }
      async onClose() {
        await pause();
        gone.push('tools');
      }
    }
    const app = await appOf({ services: [Tools] });
    await app.close();
    expect(gone).toEqual(['tools', 'cache', 'database']);
  });

  test('is what leaving an "await using" block does', async () => {
    const gone: string[] = [];
    class Tools {
      @Tool()
      one() {
        return 1;
      }
      destroy() {
        gone.push('tools');
      }
    }
    const app = await appOf({ services: [Tools] });
    await app[Symbol.asyncDispose]();
    expect(gone).toEqual(['tools']);
  });

  test('goes on when one service fails, and tells in the end', async () => {
    const gone: string[] = [];
    const First = disposable('first', 'singleton', gone);
    const Second = disposable('second', 'singleton', gone, { fail: true });
    const Third = disposable('third', 'singleton', gone);
    class Tools {
      readonly all = [inject(First), inject(Second), inject(Third)];
      @Tool()
      one() {
        return this.all.length;
      }
    }
    const app = await appOf({ services: [Tools] });
    await expect(app.close()).rejects.toMatchObject({
      errors: [expect.objectContaining({ message: 'Disposable failed to close: second failed' })],
    });
    expect(gone).toEqual(['third', 'second', 'first']);
  });

  test('disposes of what factories made, and not of values', async () => {
    const gone: string[] = [];
    const make = (name: string) => ({ destroy: () => void gone.push(name) });
    const providers: Provider[] = [
      { provide: 'value', useValue: make('value') },
      { provide: 'sync', useFactory: () => make('sync') },
      { provide: 'async', useFactory: () => Promise.resolve(make('async')) },
    ];
    class Tools {
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools], providers });
    await app.close();
    expect(gone).toEqual(['async', 'sync']);
  });

  test('disposes of what a factory made before what it needed for it', async () => {
    const gone: string[] = [];
    const make = (name: string) => ({ destroy: () => void gone.push(name) });
    const providers: Provider[] = [
      {
        provide: 'repository',
        useFactory: () => make('repository'),
        inject: ['database'],
      },
      { provide: 'database', useFactory: () => make('database') },
    ];
    class Tools {
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools], providers });
    await app.close();
    expect(gone).toEqual(['repository', 'database']);
  });

  test('ends sessions first, and awaits what lived in them', async () => {
    const gone: string[] = [];
    const Shared = disposable('singleton', 'singleton', gone);
    const Own = disposable('session', 'session', gone, { ms: 30 });
    @Service({ scope: 'session' })
    class Tools {
      readonly shared = inject(Shared);
      readonly own = inject(Own);
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools] });
    const client = await openSession(app);
    await client.call('one');
    await app.close();
    expect(gone).toEqual(['session', 'singleton']);
  });

  test('cancels what is in flight and serves nothing more', async () => {
    let calls = 0;
    const reasons: unknown[] = [];
    class Tools {
      @Tool()
      async wait({ signal }: ToolContext) {
        calls += 1;
        signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      }
    }
    const app = await appOf({ services: [Tools] });
    const client = await openSession(app);
    client.start('tools/call', { name: 'wait' }, 'w');
    await settled();
    await app.close();
    client.start('tools/call', { name: 'wait' }, 'x');
    await settled();
    expect(reasons).toEqual(['The server is closing']);
    expect(calls).toBe(1);
  });
});

describe('the end of a request', () => {
  test.each(['2025-11-25', '2026-07-28'])('disposes of what was made for it in %s', async (version) => {
    const gone: string[] = [];
    const Connection = disposable('connection', 'request', gone);
    @Service({ scope: 'request' })
    class Tools {
      readonly connection = inject(Connection);
      @Tool()
      one() {
        gone.push('handler');
        return 1;
      }
      destroy() {
        gone.push('tools');
      }
    }
    const client = await clientOf(await appOf({ services: [Tools] }), version);
    await client.call('one');
    await pause();
    await pause();
    expect(gone).toEqual(['handler', 'tools', 'connection']);
  });

  test('disposes of what a factory and a transient service made for it', async () => {
    const gone: string[] = [];
    const Transient = disposable('transient', 'transient', gone);
    const providers: Provider[] = [
      { provide: 'made', scope: 'request', useFactory: () => ({ destroy: () => void gone.push('factory') }) },
    ];
    @Service({ scope: 'request' })
    class Tools {
      readonly made = inject<object>('made');
      readonly transient = inject(Transient);
      @Tool()
      one() {
        return 1;
      }
    }
    const client = await openSession(await appOf({ services: [Tools], providers }));
    await client.call('one');
    await pause();
    await pause();
    expect(gone).toEqual(['transient', 'factory']);
  });

  test('comes for a cancelled request when its handler has ended', async () => {
    const gone: string[] = [];
    const release = deferred();
    const Connection = disposable('connection', 'request', gone);
    @Service({ scope: 'request' })
    class Tools {
      readonly connection = inject(Connection);
      @Tool()
      async slow() {
        await release.promise;
        gone.push('handler');
      }
    }
    const client = await openSession(await appOf({ services: [Tools] }));
    client.start('tools/call', { name: 'slow' }, 's');
    await settled();
    client.notify('notifications/cancelled', { requestId: 's' });
    await pause();
    await pause();
    release.resolve();
    await pause();
    await pause();
    expect(gone).toEqual(['handler', 'connection']);
  });

  test('that fails is logged, and the answer stands', async () => {
    const logger = recordingLogger();
    const Broken = disposable('broken', 'request', [], { fail: true });
    @Service({ scope: 'request' })
    class Tools {
      readonly broken = inject(Broken);
      @Tool()
      one(@Arg('a') a: number) {
        return a;
      }
    }
    const client = await openSession(await appOf({ logger, services: [Tools] }));
    expect(await client.call('one', { a: 1 })).toEqual({ content: [{ type: 'text', text: '1' }] });
    await pause();
    await pause();
    expect(logger.lines.map(({ message }) => message)).toEqual(['a service failed to close']);
  });
});

describe('the end of a session', () => {
  test('disposes of what was made for it, and of nothing else', async () => {
    const gone: string[] = [];
    const Cart = disposable('cart', 'session', gone);
    const Shop = disposable('shop', 'singleton', gone);
    @Service({ scope: 'session' })
    class Tools {
      readonly cart = inject(Cart);
      readonly shop = inject(Shop);
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools] });
    const [one, other] = [await openSession(app), await openSession(app)];
    await one.call('one');
    await other.call('one');
    await one.close();
    await pause();
    await pause();
    expect(gone).toEqual(['cart']);
  });
});

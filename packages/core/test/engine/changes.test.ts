import { describe, expect, test } from '@jest/globals';
import { type App, definePrompt, defineResource, defineTool, type Logger } from '../../src/index.js';
import { type ChangeBus, MemoryChangeBus, type ServerChange } from '../../src/backend.js';
import { ChangeFeed } from '../../src/engine/subscriptions/changes.js';
import type { ExtensionFactory } from '../../src/extension.js';
import { appOf, type Client, openSession, recordingLogger, settled, statelessClient } from '../harness.js';
import { SlowChangeBus } from '../fixtures/slow-change-bus.js';

const tool = (name = 'tool') => defineTool({ name, handle: () => 1 });

type Hear = (change: ServerChange) => void;

/** An extension that does nothing but hear of changes. */
function listening(id: string, hear: Hear): ExtensionFactory {
  return (host) => {
    host.onChange(hear);
    return { id, settings: () => undefined };
  };
}

/** One of several processes that serve the same app. */
function serve(changeBus: ChangeBus, logger?: Logger, ...hear: readonly Hear[]): Promise<App> {
  const text = defineResource({ name: 'text', uri: 'text://a', handle: () => 'x' });
  const definitions = [tool(), definePrompt({ name: 'prompt', handle: () => 'x' }), text];
  const extensions = hear.map((each, index) => ({ create: listening(`test/${index}`, each) }));
  return appOf({ definitions, changeBus, extensions, ...(logger ? { logger } : {}) });
}

/** A client of the older revisions that wants to hear of `text://a`. */
async function subscriber(app: App): Promise<Client> {
  const client = await openSession(app);
  await client.result('resources/subscribe', { uri: 'text://a' });
  return client;
}

/** A client of 2026-07-28 that wants to hear of everything. */
async function listener(app: App): Promise<Client> {
  const client = statelessClient(app);
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['text://a'] };
  client.start('subscriptions/listen', { notifications }, 'sub');
  await client.waitFor(({ method }) => method === 'notifications/subscriptions/acknowledged');
  return client;
}

const UPDATED = 'notifications/resources/updated';
const TOOLS_CHANGED = 'notifications/tools/list_changed';
const told = (client: Client, method: string) => client.waitFor((message) => message.method === method);

describe('two apps that share a change bus', () => {
  test.each<[string, () => readonly [ChangeBus, ChangeBus]]>([
    ['in one process', () => Array<ChangeBus>(2).fill(new MemoryChangeBus()) as [ChangeBus, ChangeBus]],
    [
      'in two processes',
      () => {
        const wire = new MemoryChangeBus();
        return [new SlowChangeBus(wire), new SlowChangeBus(wire)];
      },
    ],
  ])('tell each other’s clients what changes, %s', async (_where, ends) => {
    const [one, other] = ends();
    const [here, there] = await Promise.all([serve(one), serve(other)]);
    const clients = [
      await subscriber(here),
      await listener(here),
      await subscriber(there),
      await listener(there),
    ];
    here.notifyResourceUpdated('text://a');
    here.tools.add(tool('other'));
    for (const client of clients) {
      expect((await told(client, UPDATED)).params).toMatchObject({ uri: 'text://a' });
      await told(client, TOOLS_CHANGED);
    }
    for (const client of clients) {
      expect(client.heard(UPDATED)).toHaveLength(1);
      expect(client.heard(TOOLS_CHANGED)).toHaveLength(1);
    }
  });

  test('tell nothing to clients that did not ask for it', async () => {
    const bus = new MemoryChangeBus();
    const [here, there] = await Promise.all([serve(bus), serve(bus)]);
    const client = await openSession(there);
    here.notifyResourceUpdated('text://a');
    await settled();
    expect(client.heard(UPDATED)).toEqual([]);
  });

  test('go on without the one that has closed', async () => {
    const bus = new MemoryChangeBus();
    const [here, there] = await Promise.all([serve(bus), serve(bus)]);
    const client = await subscriber(here);
    await there.close();
    here.notifyResourceUpdated('text://a');
    await settled();
    expect(client.heard(UPDATED)).toHaveLength(1);
  });
});

describe('an app and its change bus', () => {
  test('publish what JSON can carry, and hear everything that comes', async () => {
    const bus = new MemoryChangeBus();
    const published: ServerChange[] = [];
    bus.subscribe((change) => published.push(change));
    const heard: ServerChange[] = [];
    const app = await serve(bus, undefined, (change) => heard.push(change));
    app.prompts.remove('prompt');
    await settled();
    app.notifyResourceUpdated('text://a');
    bus.publish({ kind: 'task', taskId: 't', status: 'working', run: null });
    const expected = [
      { kind: 'list', list: 'prompts' },
      { kind: 'resource', uri: 'text://a' },
      { kind: 'task', taskId: 't', status: 'working', run: null },
    ];
    expect(heard).toEqual(expected);
    expect(published).toEqual(expected);
    expect(JSON.parse(JSON.stringify(published))).toEqual(published);
  });

  test('are told of changes at once when the bus is in this process', async () => {
    const heard: ServerChange[] = [];
    const app = await serve(new MemoryChangeBus(), undefined, (change) => heard.push(change));
    app.notifyResourceUpdated('text://a');
    expect(heard).toHaveLength(1);
  });

  test.each([
    [null],
    ['tools'],
    [[]],
    [{}],
    [{ kind: 'list', list: 'constructor' }],
    [{ kind: 'list', list: ['tools'] }],
    [{ kind: 'resource', uri: 7 }],
    [{ kind: 'task' }],
    [{ kind: 'of another version', uri: 'text://a' }],
    [{ kind: 'message', content: { sessionId: 'a secret', message: 'a secret' } }],
  ])('ignore a change that is none, with a warning: %j', async (change) => {
    const bus = new MemoryChangeBus();
    const logger = recordingLogger();
    const app = await serve(bus, logger);
    const clients = [await subscriber(app), await listener(app)];
    await settled();
    const before = clients.map(({ received }) => received.length);
    bus.publish(change as unknown as ServerChange);
    await settled();
    expect(clients.map(({ received }) => received.length)).toEqual(before);
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { change: {} } }]);
    expect(JSON.stringify(logger.lines)).not.toMatch(/text:|secret/);
  });

  test('hear the others when one listener of the engine fails', async () => {
    const logger = recordingLogger();
    const heard: ServerChange[] = [];
    const fail = () => {
      throw new Error('broken');
    };
    const app = await serve(new MemoryChangeBus(), logger, fail, (change) => heard.push(change));
    const client = await subscriber(app);
    app.notifyResourceUpdated('text://a');
    await settled();
    expect([client.heard(UPDATED).length, heard.length]).toEqual([1, 1]);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'a listener to changes failed' }]);
  });

  test.each<[string, () => Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('the bus is gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the bus is gone'))],
  ])('log it when publishing %s, and tell the clients here', async (_how, publish) => {
    const bus = new MemoryChangeBus();
    const logger = recordingLogger();
    const app = await serve({ publish, subscribe: (tell) => bus.subscribe(tell) }, logger);
    const client = await subscriber(app);
    app.notifyResourceUpdated('text://a');
    app.tools.remove('tool');
    await settled();
    expect(client.heard(UPDATED)).toHaveLength(1);
    expect(client.heard(TOOLS_CHANGED)).toHaveLength(1);
    expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'error']);
  });

  test('log nothing of what a message says, and the same failure once in a while', async () => {
    const bus = new MemoryChangeBus();
    const logger = recordingLogger();
    const fail = () => {
      throw new Error('broken');
    };
    const heard = (change: ServerChange) => void (change.kind === 'message' && fail());
    await serve({ publish: fail, subscribe: (tell) => bus.subscribe(tell) }, logger, heard);
    const changes = new ChangeFeed({ publish: fail, subscribe: (tell) => bus.subscribe(tell) }, logger);
    await changes.open();
    const content = { sessionId: 'a secret', message: { result: 'a secret' } };
    const message = { kind: 'message', to: 'another', about: 'answer', content } as const;
    for (let turn = 0; turn < 3; turn++) expect(changes.publish(message)).toBe(false);
    bus.publish({ kind: 'message', about: 'answer', content });
    expect(logger.lines).toMatchObject([
      { level: 'error', details: { change: { kind: 'message', about: 'answer', to: 'another' } } },
      { level: 'error', details: { change: { kind: 'message', about: 'answer' } } },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('secret');
    await changes.close();
  });

  test('are made up for when the bus takes anything again: the others hear that all may have changed, once', async () => {
    const wire = new MemoryChangeBus();
    const state = { isAway: true };
    const publish = (change: ServerChange) => {
      if (state.isAway) throw new Error('the bus is away');
      wire.publish(change);
    };
    const bus: ChangeBus = { publish, subscribe: (tell) => wire.subscribe(tell) };
    const here = await serve(bus, recordingLogger());
    const heard: ServerChange[] = [];
    await serve(bus, undefined, (change) => heard.push(change));
    here.notifyResourceUpdated('text://a');
    expect(heard).toEqual([]);
    state.isAway = false;
    here.notifyResourceUpdated('text://b');
    here.notifyResourceUpdated('text://c');
    await settled();
    expect(heard.filter(({ kind }) => kind === 'all')).toHaveLength(1);
    expect(heard.filter(({ kind }) => kind === 'resource')).toHaveLength(2);
  });

  test('log it when subscribing fails, and tell the clients here', async () => {
    const logger = recordingLogger();
    const subscribe = () => Promise.reject(new Error('the bus is gone'));
    const app = await serve({ publish: () => undefined, subscribe }, logger);
    const client = await subscriber(app);
    app.notifyResourceUpdated('text://a');
    await settled();
    expect(client.heard(UPDATED)).toHaveLength(1);
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
    await app.close();
  });

  test('are not left behind by a process that ends: the bus has them before it is parted with', async () => {
    const steps: string[] = [];
    const publish = async (): Promise<void> => {
      await settled();
      steps.push('published');
    };
    const changes = new ChangeFeed(
      { publish, subscribe: () => () => void steps.push('parted') },
      recordingLogger(),
    );
    await changes.open();
    void changes.publish({ kind: 'claimable' });
    await changes.close();
    expect(steps).toEqual(['published', 'parted']);
  });

  test('part when the app closes: nothing is heard or said any more', async () => {
    const bus = new MemoryChangeBus();
    const published: ServerChange[] = [];
    const heard: ServerChange[] = [];
    let subscriptions = 0;
    const changeBus: ChangeBus = {
      publish: (change) => void published.push(change),
      subscribe(tell) {
        subscriptions += 1;
        const stop = bus.subscribe(tell);
        return async () => {
          await settled();
          subscriptions -= 1;
          stop();
        };
      },
    };
    const app = await serve(changeBus, undefined, (change) => heard.push(change));
    expect(subscriptions).toBe(1);
    await app.close();
    expect(subscriptions).toBe(0);
    app.notifyResourceUpdated('text://a');
    app.tools.remove('tool');
    bus.publish({ kind: 'resource', uri: 'text://a' });
    await settled();
    expect([heard, published]).toEqual([[], []]);
  });

  test('close all the same when the subscription does not end cleanly', async () => {
    const logger = recordingLogger();
    const subscribe = () => () => Promise.reject(new Error('the bus is gone'));
    const app = await serve({ publish: () => undefined, subscribe }, logger);
    await app.close();
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
  });
});

import { describe, expect, test } from '@jest/globals';
import { createApp, defineTool, Resource, Tool, ToolContext } from '@sigil/core';
import { PROTOCOL_VERSIONS } from '@sigil/core/protocol';
import { connect, type ReceivedNotification } from '../src/index.js';

class Clock {
  @Resource('clock://time')
  time(): string {
    return 'noon';
  }

  @Tool()
  strike(context: ToolContext): string {
    for (const hour of ['one', 'two', 'three']) context.log.info(hour);
    return 'struck';
  }
}

const clock = () => createApp({ name: 'clock', version: '1.0.0', services: [Clock] });

describe('notifications', () => {
  test('are kept in order, and handed on as they come', async () => {
    await using app = await clock();
    const seen: ReceivedNotification[] = [];
    await using client = await connect(app, { onNotification: (notification) => seen.push(notification) });
    await client.callTool('strike', {}, { logLevel: 'info' });
    expect(client.notifications.map(({ params }) => params['data'])).toEqual(['one', 'two', 'three']);
    expect(seen).toEqual(client.notifications);
  });

  test('that came already are given to a wait once', async () => {
    await using app = await clock();
    await using client = await connect(app);
    await client.callTool('strike', {}, { logLevel: 'info' });
    const next = async () => (await client.waitFor('notifications/message')).params['data'];
    expect([await next(), await next()]).toEqual(['one', 'two']);
    const isOne = ({ params }: ReceivedNotification) => params['data'] === 'one';
    await expect(client.waitFor('notifications/message', isOne, 5)).rejects.toThrow(
      /^No notifications\/message came within 5 ms; notifications received so far: notifications\/message, /,
    );
  });

  test('that come later are given to the wait that wants them', async () => {
    await using app = await clock();
    await using client = await connect(app, { timeoutMs: Infinity });
    const three = client.waitFor('notifications/message', ({ params }) => params['data'] === 'three');
    await client.callTool('strike', {}, { logLevel: 'info' });
    expect((await three).params['data']).toBe('three');
  });

  test('are left to others by a wait that has ended', async () => {
    await using app = await clock();
    await using client = await connect(app);
    const stopped = client.waitFor('notifications/message', undefined, 1);
    await expect(stopped).rejects.toThrow(/^No notifications\/message came within 1 ms/);
    const waits = [1, 2].map(() => client.waitFor('notifications/message'));
    await client.callTool('strike', {}, { logLevel: 'info' });
    const came = (await Promise.all(waits)).map(({ params }) => params['data']);
    expect(came).toEqual(['one', 'two']);
    expect((await client.waitFor('notifications/message')).params['data']).toBe('three');
  });

  test.each(PROTOCOL_VERSIONS.slice(0, 4))('tell sessions of %s what changes', async (revision) => {
    await using app = await clock();
    await using client = await connect(app, { revision });
    app.tools.add(defineTool({ name: 'wind', handle: () => 'wound' }));
    await client.waitFor('notifications/tools/list_changed');

    await client.subscribe('clock://time');
    app.notifyResourceUpdated('clock://time');
    expect((await client.waitFor('notifications/resources/updated')).params).toEqual({ uri: 'clock://time' });

    await client.unsubscribe('clock://time');
    app.notifyResourceUpdated('clock://time');
    await expect(client.waitFor('notifications/resources/updated', undefined, 5)).rejects.toThrow(/^No /);
  });
});

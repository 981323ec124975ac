import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type App, createApp, defineTool } from '@sigil/core';
import { BRIDGES, type Mounted } from './fixtures/bridges.js';
import { Holds } from './fixtures/holds.js';
import { recordingLogger } from './fixtures/log.js';
import { call, callModern, json, textOf } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { within } from './fixtures/within.js';

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'a call for which the app has no room · %s',
  (_name, bridge) => {
    let holds: Holds;
    let app: App;
    let mounted: Mounted;

    beforeEach(async () => {
      holds = new Holds();
      const hold = defineTool({
        name: 'hold',
        handle: async (_args, { signal }) => {
          await holds.hold('', signal, () => undefined);
          return 'held';
        },
      });
      app = await createApp({
        name: 'full',
        version: '1.0.0',
        logger: recordingLogger().logger,
        definitions: [hold],
        limits: { maxInFlight: 1 },
      });
      mounted = await bridge.mount(app, { sse: true });
    });

    afterEach(async () => {
      await mounted.close(0);
      await app.close();
    });

    async function expectNoRoom(response: Response, id: number): Promise<void> {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await json(response)).toMatchObject({ id, error: { code: -32603 } });
    }

    test('is answered with 503, and when to come again', async () => {
      const first = callModern(mounted, 'hold');
      const held = await within(holds.next());
      await expectNoRoom(await within(callModern(mounted, 'hold', {}, { id: 2 })), 2);
      held.release();
      expect(textOf(await json(await first))).toBe('held');
    });

    test('of a session is answered so too', async () => {
      const session = await openSession(mounted);
      const first = session.post(call('hold', {}, 1));
      const held = await within(holds.next());
      await expectNoRoom(await within(session.post(call('hold', {}, 2))), 2);
      held.release();
      expect(textOf(await json(await first))).toBe('held');
    });

    test('over HTTP+SSE is answered so where it is posted', async () => {
      const client = await SseClient.open(mounted);
      expect((await client.post(call('hold', {}, 1))).status).toBe(202);
      const held = await within(holds.next());
      await expectNoRoom(await client.post(call('hold', {}, 2)), 2);
      held.release();
      expect(await client.next()).toMatchObject({ id: 1 });
      await client.leave();
    });
  },
);

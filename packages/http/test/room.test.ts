import { type AppOptions, createApp, defineTool } from '@sigil/core';
import { afterEach, describe, expect, test } from '@jest/globals';
import { httpRuntime, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { json, post, postModern } from './fixtures/messages.js';
import { initialize, openSession } from './fixtures/session.js';

const quiet = () => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(limits: NonNullable<AppOptions['limits']>): Promise<Mounted> {
  const hello = defineTool({ name: 'hello', handle: () => 'Hello' });
  const app = await createApp({ name: 'room', version: '1.0.0', logger, definitions: [hello], limits });
  const mounted = await httpRuntime.mount(app);
  closing.push(
    () => mounted.close(),
    () => app.close(),
  );
  return mounted;
}

/** What an answer says of a request for which there was no room. */
async function refusalOf(response: Response): Promise<unknown> {
  return [response.status, (await json(response)).error?.code];
}

describe('a request for which there is no room is answered with 503', () => {
  test('when too many subscriptions are open', async () => {
    const mounted = await serve({ maxSubscriptions: 1 });
    const listen = () => postModern(mounted, 'subscriptions/listen', { notifications: {} });
    const stream = new EventReader(await listen());
    await stream.message();
    expect(await refusalOf(await listen())).toEqual([503, -32603]);
    await stream.cancel();
  });

  test('when sessions keep too much of what initialize says, and no session is opened', async () => {
    const mounted = await serve({ maxSessionBytes: 20_000 });
    const large = { experimental: { note: 'x'.repeat(3000) } };
    const refused = await post(mounted, initialize('2025-11-25', large));
    expect(refused.headers.get('mcp-session-id')).toBeNull();
    expect(await refusalOf(refused)).toEqual([503, -32603]);
    expect((await openSession(mounted)).id).toEqual(expect.any(String));
  });
});

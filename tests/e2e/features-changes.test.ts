import { expect, test } from '@jest/globals';
import { LEGACY_VERSIONS } from './clients.js';
import { describeFullClients } from './each-full-client.js';
import type { FullClient } from './full-client.js';
import { until } from './processes.js';

const WATCHED = 'test://watched-resource';
const UPDATED = 'notifications/resources/updated';
const TOOLS_CHANGED = 'notifications/tools/list_changed';
const PROMPTS_CHANGED = 'notifications/prompts/list_changed';

/** Runs a tool and waits until a client has heard of what it changed, once. */
async function heard(by: FullClient, method: string, tool: string): Promise<string | undefined> {
  const before = by.tap.of(method).length;
  const text = await by.calls.text(tool);
  await until(() => by.tap.of(method).length > before);
  expect(by.tap.of(method)).toHaveLength(before + 1);
  return text;
}

/** Has the server tell something else, and waits for it: whatever it told before has come by then. */
async function settle(client: FullClient): Promise<void> {
  await heard(client, TOOLS_CHANGED, 'test_trigger_tool_change');
  await heard(client, TOOLS_CHANGED, 'test_trigger_tool_change');
}

describeFullClients(LEGACY_VERSIONS, ({ client, shared, processes, another }) => {
  // What an app adds while it is up, it adds in one process.
  const inOneProcess = (title: string, run: () => Promise<void>): void =>
    processes === 1 ? test(title, run) : test.skip(`${title} (each process has its own)`, run);

  test('hears that a resource it subscribed to has changed, and reads it anew', async () => {
    const { calls, common, tap } = client();
    await common.subscribeResource({ uri: WATCHED });
    const text = await heard(client(), UPDATED, 'touch_watched_resource');
    expect(tap.of(UPDATED).at(-1)).toEqual({ uri: WATCHED });
    const version = /\d+$/.exec(String(text))?.[0];
    // Each process counts for itself.
    if (processes === 1) expect(await calls.read(WATCHED)).toBe(`Watched resource, version ${version}`);
    await common.unsubscribeResource({ uri: WATCHED });
  });

  test('hears no more of a resource it has unsubscribed from', async () => {
    const { calls, common, tap } = client();
    await common.subscribeResource({ uri: WATCHED });
    await heard(client(), UPDATED, 'touch_watched_resource');
    await common.unsubscribeResource({ uri: WATCHED });
    const before = tap.of(UPDATED).length;
    await calls.text('touch_watched_resource');
    await settle(client());
    expect(tap.of(UPDATED)).toHaveLength(before);
  });

  test('hears of a change once, however often it subscribed', async () => {
    const { common } = client();
    await common.subscribeResource({ uri: WATCHED });
    await common.subscribeResource({ uri: WATCHED });
    await heard(client(), UPDATED, 'touch_watched_resource');
    await settle(client());
    await common.unsubscribeResource({ uri: WATCHED });
    const before = client().tap.of(UPDATED).length;
    await client().calls.text('touch_watched_resource');
    await settle(client());
    expect(client().tap.of(UPDATED)).toHaveLength(before);
  });

  if (shared) {
    test('hears nothing of what another session subscribed to [checklist 26]', async () => {
      const other = await another();
      await other.common.subscribeResource({ uri: WATCHED });
      const before = client().tap.of(UPDATED).length;
      await heard(other, UPDATED, 'touch_watched_resource');
      await settle(client());
      expect(client().tap.of(UPDATED)).toHaveLength(before);
      await other.common.unsubscribeResource({ uri: WATCHED });
    });
  }

  inOneProcess('tells the server of its first subscriber and its last', async () => {
    const { calls, common } = client();
    await common.subscribeResource({ uri: WATCHED });
    await common.unsubscribeResource({ uri: WATCHED });
    const { events } = JSON.parse(String(await calls.text('recent_client_events'))) as { events: string[] };
    expect(events.slice(-2)).toEqual([`subscribed to ${WATCHED}`, `unsubscribed from ${WATCHED}`]);
  });

  test('is refused a subscription to what there is not [checklist 37]', async () => {
    const { common, tap } = client();
    await expect(common.subscribeResource({ uri: 'test://no/such/thing' })).rejects.toThrow();
    // Read off the wire: client v2 renames the code.
    expect(tap.received.at(-1)).toMatchObject({ error: { code: -32002, data: { uri: expect.anything() } } });
  });

  inOneProcess('hears that a tool has come, calls it, and hears that it has gone', async () => {
    const { calls } = client();
    const tools = async (): Promise<string[] | undefined> => (await calls.names())['tools'];
    await heard(client(), TOOLS_CHANGED, 'test_trigger_tool_change');
    expect(await tools()).toContain('temporary_tool');
    expect(await calls.text('temporary_tool')).toBe('Still here');
    await heard(client(), TOOLS_CHANGED, 'test_trigger_tool_change');
    expect(await tools()).not.toContain('temporary_tool');
    await expect(calls.tool('temporary_tool')).rejects.toMatchObject({ code: -32602 });
  });

  inOneProcess('hears that a prompt has come, gets it, and hears that it has gone', async () => {
    const { calls } = client();
    const prompts = async (): Promise<string[] | undefined> => (await calls.names())['prompts'];
    await heard(client(), PROMPTS_CHANGED, 'test_trigger_prompt_change');
    expect(await prompts()).toContain('temporary_prompt');
    expect(await calls.prompt('temporary_prompt', {})).toBe('Say hello while I am here.');
    await heard(client(), PROMPTS_CHANGED, 'test_trigger_prompt_change');
    expect(await prompts()).not.toContain('temporary_prompt');
    await expect(calls.prompt('temporary_prompt', {})).rejects.toMatchObject({ code: -32602 });
  });
});

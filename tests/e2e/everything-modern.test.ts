import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Elicited } from './answers.js';
import type { Place } from './clients.js';
import { describeNodes, serveEverything } from './each-full-client.js';
import { connectModern, MODERN_MODES, type ModernClient } from './modern-client.js';
import { endProcesses, EVERYTHING, until } from './processes.js';

/** What a tool is called with, what the user then does, and what is to come of it. */
interface Expected {
  readonly args?: Record<string, unknown>;
  readonly user?: readonly Elicited[];
  /** What the text of the result holds. */
  readonly text?: string | RegExp;
  readonly isError?: true;
  /** The code of the JSON-RPC error that answers instead. */
  readonly code?: number;
}

const accept = (content: NonNullable<Elicited['content']> = {}): Elicited => ({ action: 'accept', content });
const ada = accept({ name: 'Ada' });
const address = { street: '1 Rue', city: 'Paris', country: 'FR' };
const customer = { name: 'Ada', email: 'ada@example.org', address };
const order = { customer, lines: [{ sku: 'TEA-0001', quantity: 2 }] };
const contact = accept({ username: 'ada', email: 'ada@example.org' });

/** Every tool of the app. One that is added has to be added here. */
const TOOLS: Readonly<Record<string, Expected>> = {
  test_simple_text: { text: 'simple text' },
  test_image_content: {},
  test_audio_content: {},
  test_embedded_resource: {},
  test_multiple_content_types: {},
  point_to_text: {},
  test_tool_with_logging: {},
  test_tool_with_progress: {},
  test_logging_tool: {},
  test_error_handling: { isError: true },
  fail_protocol: { code: 4001 },
  fail_unexpectedly: { isError: true },
  test_sampling: { args: { prompt: 'Capital of France?' }, text: 'LLM response: Paris' },
  test_elicitation: { args: { message: 'Who are you?' }, user: [contact], text: 'action=accept' },
  test_elicitation_sep1034_defaults: { user: [accept()], text: 'action=accept' },
  test_elicitation_sep1330_enums: { user: [{ action: 'decline' }], text: 'action=decline' },
  test_streaming_elicitation: { user: [contact], text: 'action=accept' },
  test_missing_capability: { text: 'Paris' },
  open_page: { args: { url: 'https://example.org/' }, user: [{ action: 'accept' }], text: 'accept' },
  list_client_roots: { text: 'file:///work' },
  test_input_required_result_elicitation: { user: [ada], text: 'Hello, Ada!' },
  test_input_required_result_sampling: { text: 'Paris' },
  test_input_required_result_list_roots: { text: 'file:///work' },
  test_input_required_result_request_state: { user: [accept({ ok: true })], text: 'confirmed' },
  test_input_required_result_tampered_state: { user: [accept({ ok: true })], text: 'Confirmed' },
  test_input_required_result_multiple_inputs: { user: [ada], text: 'Paris Ada, you share 1 roots' },
  test_input_required_result_multi_round: { user: [ada, accept({ color: 'blue' })], text: 'Ada likes blue' },
  test_input_required_result_capabilities: { user: [ada], text: 'Ada: Paris' },
  plan_trip: { args: { destination: 'France' }, user: [ada], text: 'Ada sees Paris' },
  delete_record: {
    args: { id: '7' },
    user: [accept({ ok: false }), accept({ ok: true })],
    text: 'Record 7 is deleted',
  },
  mix_color: { args: { red: 255, green: 0, blue: 16 }, text: '#ff0010' },
  random_color: { text: '#' },
  state_of_wait: { args: { label: 'none' }, text: 'unknown' },
  greet: { args: { name: 'Ada' }, text: 'Hello, Ada!' },
  slow_compute: { args: { seconds: 0, label: 'sum' }, text: 'sum: computed' },
  failing_job: { code: -32021 },
  protocol_error_job: { code: -32603 },
  confirm_delete: { args: { filename: 'a.txt' }, user: [accept({ confirm: true })], text: 'Deleted a.txt' },
  multi_input: { user: [ada, accept({ name: 'Ben' })], text: /(Ada|Ben), then (Ada|Ben)/ },
  test_tool_with_task: { code: -32021 },
  test_reconnection: { text: 'come back' },
  test_x_mcp_header: { args: { region: 'eu', level: 3 }, text: 'region=eu, level=3' },
  json_schema_2020_12_tool: { args: { name: 'Ada', email: 'ada@example.org' } },
  add: { args: { a: 1, b: 2 }, text: '3' },
  repeat: { args: { text: 'ho' }, text: 'ho ho' },
  days_between: { args: { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' }, text: '2' },
  place_order: { args: order, text: 'order-' },
  list_orders: { text: 'order-' },
  trace_request: {},
  quote_order: { args: order },
  count_words: { args: { text: 'one two' }, text: '2' },
  touch_watched_resource: { text: /version \d+/ },
  recent_client_events: { text: 'events' },
  complete_page: { args: { elicitationId: 'none' }, text: 'No client waits' },
};
/** Tools that have tests of their own below. */
const ELSEWHERE = ['wait_until_cancelled', 'test_trigger_tool_change', 'test_trigger_prompt_change'];

const RESOURCES: Readonly<Record<string, string | undefined>> = {
  'calls://counts': 'test_simple_text',
  'test://static-text': 'static text',
  'test://static-binary': undefined,
  'test://watched-resource': 'Watched resource, version',
  'test://template/7/data': '7',
  'library://poems/the-raven?page=2': 'Nevermore.',
  'banner://hi': 'hi',
  'ui://colors/view.html': '<!doctype html>',
  'skill://color-palettes/SKILL.md': 'name: color-palettes',
  'skill://color-palettes/references/palettes.md': '#',
  'skill://writing/release-notes/SKILL.md': 'name: release-notes',
};

const PROMPTS: Readonly<Record<string, readonly [Record<string, string>, string | undefined]>> = {
  test_input_required_result_prompt: [{}, 'Keep in mind: the weather'],
  test_simple_prompt: [{}, 'simple prompt'],
  test_prompt_with_arguments: [{ arg1: 'a', arg2: 'b' }, "arg1='a', arg2='b'"],
  test_prompt_with_embedded_resource: [{ resourceUri: 'test://x' }, undefined],
  test_prompt_with_image: [{}, undefined],
  review_code: [{ language: 'typescript', maxFindings: '2', strict: 'true' }, 'at most 2 findings'],
  describe_text: [{}, undefined],
};

/** What tells of what a process keeps in memory: on several nodes, of the one that answers. */
const OF_ONE_PROCESS = ['list_orders', 'calls://counts'];

describe('one process', () => {
  let address = '';
  beforeAll(async () => {
    address = await serveEverything();
  }, 20_000);
  afterAll(endProcesses);

  for (const mode of MODERN_MODES) {
    everything('stdio', mode, () => ({ script: EVERYTHING }));
    everything('HTTP', mode, () => ({ address }));
  }
});

// A tool changes the lists of the node that it reaches, so each set of nodes has one client.
describeNodes('redis', 'haproxy', (address) => everything('nodes', 'auto', address));
describeNodes('postgres', 'nginx', (address) => everything('nodes', 'pinned', address));

function everything(
  where: 'stdio' | 'HTTP' | 'nodes',
  mode: (typeof MODERN_MODES)[number],
  place: () => Place,
): void {
  describe(`everything over ${where}, by the official client v2 in ${mode} mode`, () => {
    let modern: ModernClient;

    beforeAll(async () => {
      modern = await connectModern(mode, place());
    }, 20_000);

    afterAll(() => modern.client.close());

    test('is served by 2026-07-28 [checklist 8]', () => {
      expect(modern.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    });

    test('shows all there is, and no more than this page knows', async () => {
      const { tools, resources, resourceTemplates, prompts } = await modern.calls.names();
      expect(tools).toEqual([...Object.keys(TOOLS), ...ELSEWHERE].sort());
      expect([resources?.length, resourceTemplates?.length]).toEqual([8, 3]);
      expect(prompts).toEqual(Object.keys(PROMPTS).sort());
    });

    test.each(Object.entries(TOOLS))('answers %s [checklist 10]', async (name, expected) => {
      const { args = {}, user = [], text, isError = false, code } = expected;
      modern.answers.user(...user);
      const called = modern.calls.tool(name, args);
      if (code !== undefined) return expect(called).rejects.toMatchObject({ code });
      const answered = await called;
      expect(answered.isError).toBe(isError);
      if (where === 'nodes' && OF_ONE_PROCESS.includes(name)) return;
      if (text instanceof RegExp) expect(answered.text).toMatch(text);
      else if (text !== undefined) expect(answered.text).toContain(text);
    });

    test.each(Object.entries(RESOURCES))('gives %s to read', async (uri, text) => {
      const read = await modern.calls.read(uri);
      if (where === 'nodes' && OF_ONE_PROCESS.includes(uri)) return;
      if (text === undefined) expect(read).toBeUndefined();
      else expect(read).toContain(text);
    });

    test.each(Object.entries(PROMPTS))('gives the prompt %s', async (name, [args, text]) => {
      modern.answers.user(accept({ context: 'the weather' }));
      const prompt = await modern.calls.prompt(name, args);
      if (text !== undefined) expect(prompt).toContain(text);
    });

    test('completes arguments', async () => {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const;
      const argument = { name: 'arg2', value: 'pa' };
      const context = { arguments: { arg1: 'france' } };
      const { completion } = await modern.client.complete({ ref, argument, context });
      expect(completion.values).toEqual(['paris', 'pau']);
    });

    test('stops a call that is cancelled [checklist 22] [checklist 48]', async () => {
      const gone = new AbortController();
      const label = `${where}-${mode}`;
      const waiting = modern.calls.tool('wait_until_cancelled', { label }, { signal: gone.signal });
      const state = (): Promise<string | undefined> => modern.calls.text('state_of_wait', { label });
      await until(async () => (await state()) === 'waiting');
      gone.abort();
      await expect(waiting).rejects.toThrow();
      await until(async () => (await state()) === 'cancelled');
    });

    test('tells a subscription what it asked for, and ends it when asked to [checklist 45]', async () => {
      const { client, calls, tap } = modern;
      const subscription = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['test://watched-resource'],
      });
      expect(subscription.honoredFilter).toEqual({
        toolsListChanged: true,
        promptsListChanged: true,
        resourceSubscriptions: ['test://watched-resource'],
      });
      for (const [tool, method] of [
        ['test_trigger_tool_change', 'notifications/tools/list_changed'],
        ['test_trigger_prompt_change', 'notifications/prompts/list_changed'],
        ['touch_watched_resource', 'notifications/resources/updated'],
      ] as const) {
        const before = tap.of(method).length;
        await calls.text(tool);
        await until(() => tap.of(method).length > before);
        // A second time, so that what came goes again.
        if (tool !== 'touch_watched_resource') await calls.text(tool);
      }
      await subscription.close();
      expect(await subscription.closed).toBe('local');
      const heard = tap.of('notifications/resources/updated').length;
      await calls.text('touch_watched_resource');
      await calls.text('test_simple_text');
      expect(tap.of('notifications/resources/updated')).toHaveLength(heard);
    });
  });
}

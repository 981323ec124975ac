import { expect, test } from '@jest/globals';
import { LEGACY_VERSIONS } from './clients.js';
import { describeFullClients } from './each-full-client.js';
import { until } from './processes.js';

describeFullClients(LEGACY_VERSIONS, ({ client, version, processes }) => {
  const roots = async (): Promise<unknown> =>
    (JSON.parse(String(await client().calls.text('list_client_roots'))) as { roots: unknown }).roots;

  test("asks the client's model and hands its message to the tool [checklist 44]", async () => {
    client().answers.model = 'Paris';
    const text = await client().calls.text('test_sampling', { prompt: 'The capital of France?' });
    expect(text).toBe('LLM response: Paris');
    expect(client().tap.of('sampling/createMessage').at(-1)).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'The capital of France?' } }],
      maxTokens: 100,
    });
  });

  test('tells the model in the result of the call when the client refuses to ask its model', async () => {
    client().answers.model = new Error('The user said no');
    const result = await client().calls.tool('test_sampling', { prompt: 'Anything' });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('The user said no') });
    client().answers.model = 'On we go';
    expect(await client().calls.text('test_sampling', { prompt: 'Anything' })).toBe('LLM response: On we go');
  });

  test('asks for many calls at once and gives each its own answer [checklist 25]', async () => {
    client().answers.model = 'Same';
    const prompts = Array.from({ length: 10 }, (_, at) => `prompt ${at}`);
    const asked = client().tap.of('sampling/createMessage').length;
    const texts = await Promise.all(
      prompts.map((prompt) => client().calls.text('test_sampling', { prompt })),
    );
    expect(new Set(texts)).toEqual(new Set(['LLM response: Same']));
    const questions = client().tap.of('sampling/createMessage').slice(asked);
    expect(questions.map((params) => promptOf(params)).sort()).toEqual(prompts);
  });

  test('asks what it may work in', async () => {
    client().answers.roots = [{ uri: 'file:///work', name: 'Work' }, { uri: 'file:///tmp' }];
    expect(await roots()).toEqual([{ uri: 'file:///work', name: 'Work' }, { uri: 'file:///tmp' }]);
    client().answers.roots = [];
    expect(await roots()).toEqual([]);
  });

  // An app hears of it in the process that the client told.
  const inOneProcess = (title: string, run: () => Promise<void>): void =>
    processes === 1 ? test(title, run) : test.skip(`${title} (it is told to one process)`, run);
  inOneProcess('hears that the roots have changed, and gets the new ones', async () => {
    const heard = async (): Promise<number> => {
      const { events } = JSON.parse(String(await client().calls.text('recent_client_events'))) as {
        events: string[];
      };
      return events.filter((event) => event === 'roots of full-client changed').length;
    };
    const before = await heard();
    client().answers.roots = [{ uri: 'file:///elsewhere' }];
    await client().common.sendRootsListChanged();
    await until(async () => (await heard()) > before);
    expect(await heard()).toBe(before + 1);
    expect(await roots()).toEqual([{ uri: 'file:///elsewhere' }]);
  });

  if (version >= '2025-06-18') {
    test('asks user, model and client at the same time [checklist 44]', async () => {
      client().answers.user({ action: 'accept', content: { name: 'Ada' } });
      client().answers.model = 'Hello';
      client().answers.roots = [{ uri: 'file:///work' }];
      const text = await client().calls.text('test_input_required_result_multiple_inputs');
      expect(text).toBe('Hello Ada, you share 1 roots');
    });
  } else {
    test('refuses to show the user a form, for the revision has none', async () => {
      const call = client().calls.text('test_elicitation', { message: 'Who is there?' });
      await expect(call).rejects.toMatchObject({ code: -32600 });
      expect(client().tap.of('elicitation/create')).toEqual([]);
    });
  }
});

function promptOf({ messages }: Readonly<Record<string, unknown>>): string | undefined {
  return (messages as { content: { text: string } }[])[0]?.content.text;
}

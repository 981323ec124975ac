import { expect, test } from '@jest/globals';
import type { Elicited } from './answers.js';
import { describeFullClients } from './each-full-client.js';
import { until } from './processes.js';

const ADA = { username: 'ada', email: 'ada@example.org' };

describeFullClients(['2025-06-18', '2025-11-25'], ({ client, version, processes }) => {
  const since = (from: string, members: object): object => (version >= from ? members : {});
  const lastForm = (): Record<string, unknown> | undefined => client().tap.of('elicitation/create').at(-1);

  test('shows the user a form and hands the answer to the tool [checklist 44]', async () => {
    client().answers.user({ action: 'accept', content: ADA });
    const text = await client().calls.text('test_elicitation', { message: 'Who is there?' });
    expect(text).toBe(`User response: action=accept, content=${JSON.stringify(ADA)}`);
    expect(lastForm()).toMatchObject({
      message: 'Who is there?',
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string', format: 'email' } },
        required: ['username', 'email'],
      },
    });
  });

  test.each(['decline', 'cancel'] as const)('tells the tool that the user chose to %s', async (action) => {
    client().answers.user({ action });
    const text = await client().calls.text('test_elicitation', { message: 'Who is there?' });
    expect(text).toBe(`User response: action=${action}, content={}`);
  });

  test('drops what comes with a refusal', async () => {
    client().answers.user({ action: 'decline', content: ADA });
    const text = await client().calls.text('test_elicitation', { message: 'Who is there?' });
    expect(text).toBe('User response: action=decline, content={}');
  });

  test('keeps an answer that does not satisfy the form from the tool', async () => {
    client().answers.user({ action: 'accept', content: { ...ADA, email: 'nowhere' } });
    const result = await client().calls.tool('test_elicitation', { message: 'Who is there?' });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('email') });
  });

  test('sends the values a form begins with, and takes those the user left alone', async () => {
    client().answers.user({ action: 'accept', content: { name: 'Ada' } });
    const text = await client().calls.text('test_elicitation_sep1034_defaults');
    expect(lastForm()).toMatchObject({
      requestedSchema: {
        properties: {
          name: { type: 'string', ...since('2025-11-25', { default: 'John Doe' }) },
          age: { type: 'integer', ...since('2025-11-25', { default: 30 }) },
          score: { type: 'number', ...since('2025-11-25', { default: 95.5 }) },
          status: {
            type: 'string',
            enum: ['active', 'inactive', 'pending'],
            ...since('2025-11-25', { default: 'active' }),
          },
          verified: { type: 'boolean', default: true },
        },
      },
    });
    const answered = { name: 'Ada', age: 30, score: 95.5, status: 'active', verified: true };
    expect(JSON.parse(String(text).replace(/^.*content=/, ''))).toEqual(answered);
  });

  test('asks one thing after another in the order the tool does', async () => {
    client().answers.user(
      { action: 'accept', content: { name: 'Ada' } },
      { action: 'accept', content: { color: 'green' } },
    );
    expect(await client().calls.text('test_input_required_result_multi_round')).toBe('Ada likes green');
  });

  test('asks on behalf of a prompt, too', async () => {
    client().answers.user({ action: 'accept', content: { context: 'tests' } });
    const text = await client().calls.prompt('test_input_required_result_prompt', {});
    expect(text).toBe('Keep in mind: tests');
  });

  test('asks in the midst of progress, all before the result [checklist 21]', async () => {
    const { calls, answers, tap } = client();
    answers.user({ action: 'accept', content: ADA });
    const before = tap.received.length;
    const { text } = await calls.withProgress('test_streaming_elicitation');
    expect(text).toBe(`Elicitation completed: action=accept, content=${JSON.stringify(ADA)}`);
    // Read off the wire: the clients may settle a call before they have told of its last progress.
    expect(tap.received.slice(before).map(({ method }) => method ?? 'result')).toEqual([
      'notifications/progress',
      'elicitation/create',
      'notifications/progress',
      'result',
    ]);
  });

  test('takes its question back when the call that asked is cancelled', async () => {
    const { calls, answers, tap } = client();
    const asked = (): number => tap.of('elicitation/create').length;
    const before = asked();
    const late = deferred<Elicited>();
    answers.user(late.promise);
    const gone = new AbortController();
    const call = calls.tool('test_elicitation', { message: 'Still there?' }, { signal: gone.signal });
    await until(() => asked() > before);
    gone.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow();
    const { id } = tap.received.findLast(({ method }) => method === 'elicitation/create') ?? {};
    const withdrawn = (): boolean =>
      tap.of('notifications/cancelled').some(({ requestId }) => requestId === id);
    await until(withdrawn);
    // Whoever answers all the same disturbs nobody.
    late.resolve({ action: 'accept', content: ADA });
    answers.user({ action: 'decline' });
    expect(await calls.text('test_elicitation', { message: 'And now?' })).toContain('action=decline');
  });

  if (version >= '2025-11-25') {
    test('offers choices in every form there is, one of them or several', async () => {
      const content = {
        untitledSingle: 'option2',
        titledSingle: 'value3',
        legacyEnum: 'opt1',
        untitledMulti: ['option1', 'option3'],
        titledMulti: ['value2'],
      };
      client().answers.user({ action: 'accept', content });
      const text = await client().calls.text('test_elicitation_sep1330_enums');
      expect(JSON.parse(String(text).replace(/^.*content=/, ''))).toEqual(content);
      expect(lastForm()).toMatchObject({
        requestedSchema: {
          properties: {
            untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            titledSingle: { type: 'string', oneOf: [{ const: 'value1', title: 'First Option' }, {}, {}] },
            legacyEnum: { enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', {}] },
            untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string' } },
            titledMulti: { type: 'array', items: { anyOf: [{ const: 'value1' }, {}, {}] } },
          },
        },
      });
    });

    test('refuses a choice that was not offered', async () => {
      client().answers.user({ action: 'accept', content: { untitledMulti: ['option1', 'option4'] } });
      const result = await client().calls.tool('test_elicitation_sep1330_enums');
      expect(result).toMatchObject({ isError: true, text: expect.stringContaining('untitledMulti') });
    });

    test.each(['accept', 'decline', 'cancel'] as const)(
      'sends the user to a page, who may %s',
      async (action) => {
        client().answers.user({ action });
        const text = await client().calls.text('open_page', { url: 'https://example.org/pay?order=7' });
        expect(text).toBe(`The user chose to ${action}`);
        expect(lastForm()).toEqual(
          expect.objectContaining({
            mode: 'url',
            url: 'https://example.org/pay?order=7',
            elicitationId: expect.stringMatching(/./),
          }),
        );
      },
    );

    test('tells the client once when the page has done its work', async () => {
      client().answers.user({ action: 'accept' });
      await client().calls.text('open_page', { url: 'https://example.org/pay' });
      const elicitationId = lastForm()?.['elicitationId'];
      const complete = (): Promise<string | undefined> =>
        client().calls.text('complete_page', { elicitationId });
      const told = (): number =>
        client()
          .tap.of('notifications/elicitation/complete')
          .filter((params) => params['elicitationId'] === elicitationId).length;
      const first = await complete();
      await until(() => told() === 1);
      const second = await complete();
      // Another process than the one that is asked may be the one that knows the client.
      if (processes === 1)
        expect([first, second]).toEqual(['The client was notified', 'No client waits for this page']);
      await client().calls.text('test_simple_text');
      expect(told()).toBe(1);
    });
  } else {
    test('refuses to show lists to choose from, for the forms of the revision have none', async () => {
      const asked = client().tap.of('elicitation/create').length;
      const call = client().calls.text('test_elicitation_sep1330_enums');
      await expect(call).rejects.toMatchObject({ code: -32600 });
      expect(client().tap.of('elicitation/create')).toHaveLength(asked);
    });

    test('refuses to send the user to a page, for the revision has no such thing', async () => {
      const asked = client().tap.of('elicitation/create').length;
      const call = client().calls.text('open_page', { url: 'https://example.org/pay' });
      await expect(call).rejects.toMatchObject({ code: -32600 });
      expect(client().tap.of('elicitation/create')).toHaveLength(asked);
    });
  }
});

/** A promise to be kept later: Node 20 has no `Promise.withResolvers`. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((keep) => (resolve = keep));
  return { promise, resolve };
}

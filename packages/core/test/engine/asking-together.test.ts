import { describe, expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import type { CreateMessageResult, ElicitResult, ElicitUrlResult, Root } from '../../src/protocol.js';
import { ask, type InputQuestion, Tool, ToolContext } from '../../src/index.js';
import { ERAS, partnerOf } from '../conversation.js';
import {
  type Answerer,
  appOf,
  type Json,
  type Message,
  openSession,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

class NameForm {
  @IsString() name!: string;
}
const MODEL = { role: 'assistant', content: { type: 'text', text: 'A plan' }, model: 'm' };
const THINK = { messages: [], maxTokens: 5 };
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const answers: Answerer = ({ method, params }) => {
  if (method === 'roots/list') return { roots: [{ uri: 'file:///work' }] };
  if (method === 'sampling/createMessage') return MODEL;
  return params?.['mode'] === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada' } };
};

class Planning {
  @Tool()
  async plan(context: ToolContext) {
    const answers = await context.ask({
      name: ask.form('Your name?', NameForm),
      page: ask.url('Sign in', 'https://example.org/sign-in'),
      plan: ask.sample(THINK),
      where: ask.roots(),
    });
    // These lines compile only when every answer has the type of its question.
    const name: string | undefined = answers.name.content?.name;
    answers satisfies {
      name: ElicitResult<NameForm>;
      page: ElicitUrlResult;
      plan: CreateMessageResult;
      where: readonly Root[];
    };
    // @ts-expect-error nothing was asked by that name
    void answers.other;
    const isForm = answers.name.content instanceof NameForm;
    return [name, isForm, answers.page.action, answers.plan.model, answers.where[0]?.uri].join(' ');
  }

  @Tool()
  async nothing(context: ToolContext) {
    return JSON.stringify(await context.ask({}));
  }

  @Tool()
  async twice(context: ToolContext) {
    const first = await context.ask({ name: ask.form('Your name?', NameForm), where: ask.roots() });
    const second = await context.ask({ sure: ask.form(`Sure, ${first.name.content?.name}?`, NameForm) });
    return second.sure.content?.name;
  }

  @Tool()
  async patient(context: ToolContext) {
    return Object.keys(
      await context.ask({ where: ask.roots(), plan: ask.sample(THINK) }, { timeoutMs: 1_000 }),
    );
  }

  @Tool()
  async forgiving(context: ToolContext) {
    const questions = { where: ask.roots(), plan: ask.sample(THINK) };
    const failed = await context.ask(questions).catch((error: Error) => error.message);
    return `${JSON.stringify(failed)} then ${(await context.ask(questions)).plan.model}`;
  }

  @Tool()
  async confused(context: ToolContext) {
    const question = context.roots() as unknown as InputQuestion<unknown>;
    return context.ask({ where: question });
  }
}

const planning = () => appOf({ services: [Planning] });
const open = (messages: readonly Message[]) =>
  messages.filter(({ id, method }) => id !== undefined && method !== undefined);

describe('a question', () => {
  test('is frozen, and may be asked again', async () => {
    const question = ask.roots();
    expect(Object.isFrozen(question)).toBe(true);
    expect(
      [ask.form('?', NameForm), ask.url('?', 'https://x.org'), ask.sample(THINK)].every(Object.isFrozen),
    ).toBe(true);
  });

  test('is typed by its answer', () => {
    ask.form('?', NameForm) satisfies InputQuestion<ElicitResult<NameForm>>;
    ask.form('?', { type: 'object' }) satisfies InputQuestion<ElicitResult>;
    ask.url('?', 'https://x.org') satisfies InputQuestion<ElicitUrlResult>;
    ask.sample(THINK) satisfies InputQuestion<CreateMessageResult>;
    ask.roots() satisfies InputQuestion<readonly Root[]>;
    // @ts-expect-error roots are no form
    ask.roots() satisfies InputQuestion<ElicitResult>;
  });
});

describe.each(ERAS)('questions asked together in %s', (version) => {
  test('bring all their answers under their names, each of its type [checklist 44]', async () => {
    const partner = await partnerOf(await planning(), version, answers);
    expect(await partner.text('plan')).toBe('Ada true accept m file:///work');
    expect(partner.asked.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ]);
  });

  test('may follow one another', async () => {
    const partner = await partnerOf(await planning(), version, answers);
    expect(await partner.text('twice')).toBe('Ada');
    expect(partner.asked.map(({ params }) => params?.['message'])).toEqual([
      'Your name?',
      undefined,
      'Sure, Ada?',
    ]);
  });

  test('ask nothing when there are none', async () => {
    const partner = await partnerOf(await planning(), version, answers, {});
    expect(await partner.text('nothing')).toBe('{}');
    expect(partner.client.messages.filter(({ result }) => result?.['content'])).toHaveLength(1);
  });

  test('are all kept back when one cannot be asked [checklist 42]', async () => {
    const partner = await partnerOf(await planning(), version, answers, {
      roots: {},
      elicitation: ALL.elicitation,
    });
    await expect(partner.text('plan')).rejects.toMatchObject({
      code: version === '2026-07-28' ? -32021 : -32600,
      message: 'The client has no model to offer',
    });
    await settled();
    expect(partner.asked).toEqual([]);
  });

  test('fail together when an answer does not satisfy its form', async () => {
    const wrong: Answerer = (question) =>
      question.params?.['message'] ? { action: 'accept', content: { name: 7 } } : answers(question);
    const partner = await partnerOf(await planning(), version, wrong);
    const { result } = await partner.request('tools/call', { name: 'plan' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The client's answer does not satisfy the form") }],
    });
  });
});

describe('questions asked together of a session', () => {
  const start = async (name: string) => {
    const client = await openSession(await planning(), '2025-11-25', ALL);
    const id = client.start('tools/call', { name });
    await settled();
    return { client, id, asked: open(client.messages) };
  };

  test('are out at the same time', async () => {
    const { client, asked } = await start('plan');
    expect(asked).toHaveLength(4);
    await client.close();
  });

  test('are withdrawn when one is refused', async () => {
    const { client, id, asked } = await start('patient');
    client.send({ jsonrpc: '2.0', id: asked[0]?.id, error: { code: -1, message: 'No' } });
    expect((await client.response(id)).result).toMatchObject({
      isError: true,
      content: [{ text: 'The client refused: No' }],
    });
    expect(client.heard('notifications/cancelled')).toEqual([
      { requestId: asked[1]?.id, reason: 'A question that was asked together with this question has failed' },
    ]);
  });

  test('are withdrawn when one is answered with nonsense', async () => {
    const { client, id, asked } = await start('patient');
    client.send({ jsonrpc: '2.0', id: asked[1]?.id, result: { hello: 1 } });
    expect((await client.response(id)).result).toMatchObject({ isError: true });
    expect(client.heard('notifications/cancelled')).toMatchObject([{ requestId: asked[0]?.id }]);
  });

  test('end in time', async () => {
    const { client, id } = await start('patient');
    expect((await client.response(id)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('within 1000 ms') }],
    });
  });

  test('are withdrawn when the call is cancelled', async () => {
    const { client, id, asked } = await start('plan');
    client.notify('notifications/cancelled', { requestId: id });
    await settled();
    const withdrawn = client.heard('notifications/cancelled').map((params) => params?.['requestId']);
    expect(withdrawn).toEqual(asked.map((question) => question.id));
  });

  test('may be asked once more, and what was answered is not asked again', async () => {
    const { client, id, asked } = await start('forgiving');
    client.send({ jsonrpc: '2.0', id: asked[0]?.id, result: { roots: [] } });
    await settled();
    client.send({ jsonrpc: '2.0', id: asked[1]?.id, error: { code: -1, message: 'No' } });
    await settled();
    const again = open(client.messages).slice(2);
    expect(again.map(({ method }) => method)).toEqual(['sampling/createMessage']);
    client.send({ jsonrpc: '2.0', id: again[0]?.id, result: MODEL });
    expect(textOf((await client.response(id)).result as Json)).toBe('"The client refused: No" then m');
  });

  test('name what is no question in the log', async () => {
    const errors: unknown[] = [];
    const write = () => undefined;
    const logger = {
      debug: write,
      info: write,
      warn: write,
      error: (line: object | string) => errors.push(line),
    };
    const app = await appOf({ services: [Planning], logger });
    const client = await openSession(app, '2025-11-25', ALL, { answer: answers });
    await client.call('confused');
    expect(errors).toMatchObject([{ err: { message: expect.stringContaining('"where"') } }]);
  });
});

describe('questions asked together of a stateless client', () => {
  test('are one round, their names the keys', async () => {
    const client = statelessClient(await planning(), ALL);
    const { inputRequests } = await client.call('plan');
    expect(inputRequests).toEqual({
      name: {
        method: 'elicitation/create',
        params: { message: 'Your name?', requestedSchema: expect.objectContaining({ required: ['name'] }) },
      },
      page: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Sign in', url: 'https://example.org/sign-in' },
      },
      plan: { method: 'sampling/createMessage', params: THINK },
      where: { method: 'roots/list' },
    });
  });

  test('are asked again where an answer is missing, and only there [checklist 43]', async () => {
    const client = statelessClient(await planning(), ALL);
    const { requestState } = await client.call('patient');
    const second = await client.result('tools/call', {
      name: 'patient',
      arguments: {},
      requestState,
      inputResponses: { plan: MODEL, __proto__: {} },
    });
    expect(Object.keys(second['inputRequests'] as Json)).toEqual(['where']);
  });
});

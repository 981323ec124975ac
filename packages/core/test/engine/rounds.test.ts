import { describe, expect, jest, test } from '@jest/globals';
import { IsString } from 'class-validator';
import {
  type App,
  Arg,
  type AppOptions,
  Complete,
  CompletionContext,
  inject,
  Prompt,
  PromptContext,
  Resource,
  ResourceContext,
  Service,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { MemoryStateStore } from '../../src/backend.js';
import {
  appOf,
  type Client,
  deferred,
  type Json,
  type Message,
  openSession,
  statelessClient,
  textOf,
} from '../harness.js';

const KEY = 'a secret of at least thirty-two characters';
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const ACCEPT = (name: string) => ({ action: 'accept', content: { name } });
const MODEL = { role: 'assistant', content: { type: 'text', text: 'Hm' }, model: 'm' };

class NameForm {
  @IsString() name!: string;
}

/** Charges a card once, however often it is run. */
class Shop {
  charges = 0;
  runs = 0;

  @Tool()
  async buy(context: ToolContext, @Arg('what') what: string) {
    this.runs++;
    const first = await context.elicit('Your name?', NameForm);
    const receipt = await context.once('charge', () => ++this.charges);
    const advice = await context.sample({ messages: [], maxTokens: 1 });
    const last = await context.elicit('Sure?', NameForm);
    const isForm = first.content instanceof NameForm;
    return `${what} for ${first.content?.name} (${isForm}), ${advice.model}, ${last.content?.name}, ${receipt}`;
  }

  @Tool()
  async everybody(context: ToolContext) {
    const [name, model, roots] = await Promise.all([
      context.elicit('Your name?', NameForm, { key: 'name' }),
      context.sample({ messages: [], maxTokens: 1 }, { key: 'model' }),
      context.roots({ key: 'roots' }),
    ]);
    return [name.content?.name, model.model, roots.length].join(' ');
  }

  @Tool()
  async fickle(context: ToolContext) {
    this.runs++;
    await context.elicit(`Question ${this.runs}?`, NameForm);
    return 'done';
  }

  @Tool()
  async again(context: ToolContext) {
    const [first] = await context.roots({ key: 'where' });
    const [second] = await context.roots({ key: 'where' });
    return `${first?.uri} ${second?.uri}`;
  }

  @Tool()
  async twins(context: ToolContext) {
    await Promise.all([context.roots({ key: 'same' }), context.roots({ key: 'same' })]);
  }
}

type Input = { inputRequests: Record<string, { method: string; params: Json }>; requestState: string };

async function shop(options: Partial<AppOptions> = {}): Promise<App> {
  return appOf({ services: [Shop], state: { keys: [KEY] }, ...options });
}

/** Calls a tool once. */
function round(client: Client, name: string, args: Json = {}, more: Json = {}): Promise<Json> {
  return client.result('tools/call', { name, arguments: args, ...more });
}

/** Calls a tool until it has its result, asking a client of its own in every round. */
async function converse(
  next: () => Client,
  name: string,
  args: Json,
): Promise<{ result: Json; rounds: number }> {
  let more: Json = {};
  for (let rounds = 1; ; rounds++) {
    const result = await round(next(), name, args, more);
    if (result['resultType'] === 'complete') return { result, rounds };
    const { inputRequests, requestState } = result as unknown as Input;
    const answer = (method: string) =>
      method === 'elicitation/create'
        ? ACCEPT(`n${rounds}`)
        : method === 'roots/list'
          ? { roots: [] }
          : MODEL;
    const responses = Object.entries(inputRequests).map(([key, { method }]) => [key, answer(method)]);
    more = { requestState, inputResponses: Object.fromEntries(responses) as Json };
  }
}

describe('a handler that asks a stateless client', () => {
  test('goes on where it was, and makes its side effects once [checklist 42]', async () => {
    const app = await shop();
    const client = statelessClient(app, CAPABILITIES);
    const { result, rounds } = await converse(() => client, 'buy', { what: 'tea' });
    expect(textOf(result)).toBe('tea for n1 (true), m, n3, 1');
    expect(rounds).toBe(4);
  });

  test('goes on in another process that shares the keys', async () => {
    const apps = await Promise.all([shop(), shop(), shop(), shop()]);
    const clients = apps.map((app) => statelessClient(app, CAPABILITIES));
    const { result } = await converse(() => clients.shift() as Client, 'buy', { what: 'tea' });
    expect(textOf(result)).toBe('tea for n1 (true), m, n3, 1');
  });

  test('gives the same result as in a session [checklist 44]', async () => {
    const answers = [ACCEPT('n1'), MODEL, ACCEPT('n3')];
    const answer = () => answers.shift();
    const client = await openSession(await shop(), '2025-11-25', CAPABILITIES, { answer });
    expect(textOf(await client.call('buy', { what: 'tea' }))).toBe('tea for n1 (true), m, n3, 1');
  });

  test('asks everything it asks in one breath in one round', async () => {
    const client = statelessClient(await shop(), CAPABILITIES);
    const { inputRequests } = (await round(client, 'everybody')) as unknown as Input;
    expect(Object.keys(inputRequests)).toEqual(['name', 'model', 'roots']);
    expect((await converse(() => client, 'everybody', {})).rounds).toBe(2);
  });

  test('sends no request of its own, no cache hint, and both members of a round [checklist 39] [checklist 44]', async () => {
    const client = statelessClient(await shop(), CAPABILITIES);
    const result = await round(client, 'everybody');
    expect(Object.keys(result).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
    expect(client.received.filter((message) => 'method' in message)).toEqual([]);
  });

  test('asks again for what was not answered, and ignores what it did not ask [checklist 43]', async () => {
    const client = statelessClient(await shop(), CAPABILITIES);
    const first = (await round(client, 'everybody')) as unknown as Input;
    const inputResponses = { name: ACCEPT('Ada'), other: {}, __proto__: {} };
    const second = await round(client, 'everybody', {}, { inputResponses, requestState: first.requestState });
    expect(Object.keys((second as unknown as Input).inputRequests)).toEqual(['model', 'roots']);
    const { requestState } = second as unknown as Input;
    const rest = { inputResponses: { model: MODEL, roots: { roots: [] } }, requestState };
    expect(textOf(await round(client, 'everybody', {}, rest))).toBe('Ada m 0');
  });

  test('takes no answers to what it has not asked: they are no consent [checklist 58]', async () => {
    const client = statelessClient(await shop(), CAPABILITIES);
    const inputResponses = { name: ACCEPT('Ada'), model: MODEL, roots: { roots: [] }, extra: {} };
    const first = (await round(client, 'everybody', {}, { inputResponses })) as unknown as Input;
    expect(Object.keys(first.inputRequests)).toEqual(['name', 'model', 'roots']);
  });

  test('is told when it asks something else than before, and nobody gets a wrong answer', async () => {
    const client = statelessClient(await shop(), CAPABILITIES);
    const { requestState } = (await round(client, 'fickle')) as unknown as Input;
    const more = { requestState, inputResponses: { 'question-1': ACCEPT('Ada') } };
    const { code, message } = await client.error('tools/call', { name: 'fickle', arguments: {}, ...more });
    expect([code, message]).toEqual([-32603, expect.stringContaining('"question-1"')]);
  });

  test('cannot ask two questions by one key, no more than in a session', async () => {
    const app = await shop();
    const answer = () => ({ roots: [] });
    const session = await openSession(app, '2025-11-25', CAPABILITIES, { answer });
    for (const client of [statelessClient(app, CAPABILITIES), session]) {
      const { code, message } = await client.error('tools/call', { name: 'twins' });
      expect([code, message]).toEqual([-32603, expect.stringContaining('"same"')]);
    }
  });

  test('gets the answer it has when it asks once more by the same key, as in a session', async () => {
    const app = await shop();
    const asked: unknown[] = [];
    const answer = () => ({ roots: [{ uri: `file:///${asked.push('roots')}` }] });
    const session = await openSession(app, '2025-11-25', CAPABILITIES, { answer });
    expect(textOf(await session.call('again'))).toBe('file:///1 file:///1');
    const client = statelessClient(app, CAPABILITIES);
    const { requestState } = (await round(client, 'again')) as unknown as Input;
    const more = { requestState, inputResponses: { where: answer() } };
    expect(textOf(await round(client, 'again', {}, more))).toBe('file:///2 file:///2');
  });

  test('is refused what the client has not declared [checklist 42]', async () => {
    const error = await statelessClient(await shop()).error('tools/call', { name: 'everybody' });
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });

  test('leaves nothing behind when it is cancelled between its question and the end of the round', async () => {
    const gone = deferred<string>();
    @Service({ scope: 'request' })
    class Basket {
      destroy() {
        gone.resolve('basket');
      }
    }
    @Service({ scope: 'request' })
    class Till {
      readonly basket = inject(Basket);
      @Tool()
      async pay(context: ToolContext) {
        await context.elicit('Sure?', NameForm);
      }
    }
    const client = statelessClient(await appOf({ services: [Till] }), CAPABILITIES);
    const id = client.start('tools/call', { name: 'pay' });
    client.notify('notifications/cancelled', { requestId: id });
    expect(await gone.promise).toBe('basket');
    expect(client.received).toEqual([]);
  });

  test('may be a prompt or a resource, and nothing else [checklist 42]', async () => {
    class Others {
      @Prompt()
      async greet(context: PromptContext, @Arg('tone') tone: string) {
        return `${tone} ${(await context.elicit('Name?', NameForm)).content?.name}`;
      }
      @Resource('text://name')
      async name(context: ResourceContext) {
        return (await context.elicit('Name?', NameForm)).content?.name;
      }
      @Complete('greet', 'tone')
      async tones(_prefix: string, context: CompletionContext) {
        return (await context.roots()).map(({ uri }) => uri);
      }
    }
    const client = statelessClient(await appOf({ services: [Others] }), CAPABILITIES);
    const answered = async (method: string, params: Json) => {
      const { requestState } = (await client.result(method, params)) as unknown as Input;
      return client.result(method, {
        ...params,
        requestState,
        inputResponses: { 'question-1': ACCEPT('Ada') },
      });
    };
    const prompt = await answered('prompts/get', { name: 'greet', arguments: { tone: 'Hi' } });
    expect(prompt).toMatchObject({ messages: [{ content: { text: 'Hi Ada' } }] });
    expect(await answered('resources/read', { uri: 'text://name' })).toMatchObject({
      contents: [{ text: 'Ada' }],
    });
    const ref = { type: 'ref/prompt', name: 'greet' };
    const { code } = await client.error('completion/complete', {
      ref,
      argument: { name: 'tone', value: '' },
    });
    expect(code).toBe(-32603);
  });
});

describe('the state that a client carries', () => {
  async function started(options?: Partial<AppOptions>, principal = 'ada') {
    const app = await shop(options);
    const client = statelessClient(app, CAPABILITIES, { requestInfo: { principal: { id: principal } } });
    const { requestState } = (await round(client, 'buy', { what: 'tea' })) as unknown as Input;
    return { app, client, requestState };
  }
  const answers = { 'question-1': ACCEPT('Ada') };
  const retry = (client: Client, requestState: unknown, params: Json = {}) =>
    client.error('tools/call', {
      name: 'buy',
      arguments: { what: 'tea' },
      inputResponses: answers,
      requestState,
      ...params,
    });

  test('says nothing to whoever carries it', async () => {
    const { requestState } = await started();
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toMatch(/question|charge|ada/);
  });

  test.each([
    ['changed', (state: string) => `${state.slice(0, -4)}AAAA`],
    ['longer', (state: string) => `${state}-TAMPERED`],
    ['cut', (state: string) => state.slice(0, 20)],
    ['empty', () => ''],
    ['no string', () => ({ toString: null })],
    ['too long', () => 'A'.repeat(300_000)],
    ['signed with another key', () => 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ])('is refused before the handler when it is %s [checklist 43]', async (_how, change) => {
    const { client, requestState } = await started();
    const { code } = await retry(client, change(requestState));
    expect(code).toBe(-32602);
  });

  test.each([
    ['arguments', { arguments: { what: 'coffee' } }],
    ['tool', { name: 'everybody', arguments: {} }],
  ])('is refused with another request: %s [checklist 43]', async (_what, params) => {
    const { client, requestState } = await started();
    expect(await retry(client, requestState, params)).toMatchObject({
      code: -32602,
      data: { reason: 'invalid_request_state' },
    });
  });

  test('does not reach the handler when it is refused [checklist 43]', async () => {
    class Counter {
      runs = 0;
      @Tool()
      async count(context: ToolContext) {
        this.runs += 1;
        await context.roots();
        return this.runs;
      }
    }
    const client = statelessClient(await appOf({ services: [Counter] }), CAPABILITIES);
    const { requestState } = (await round(client, 'count')) as unknown as Input;
    const inputResponses = { 'question-1': { roots: [] } };
    for (const state of ['', 7, `${requestState}A`])
      await client.error('tools/call', { name: 'count', inputResponses, requestState: state });
    expect(textOf(await round(client, 'count', {}, { inputResponses, requestState }))).toBe('2');
  });

  test('is refused from another principal [checklist 43]', async () => {
    const { app, requestState } = await started();
    const other = statelessClient(app, CAPABILITIES, { requestInfo: { principal: { id: 'eve' } } });
    expect((await retry(other, requestState)).code).toBe(-32602);
  });

  test('is refused when it has expired [checklist 43]', async () => {
    const { client, requestState } = await started({ state: { ttlMs: 1000 } });
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 1001);
    try {
      expect((await retry(client, requestState)).message).toContain('expired');
    } finally {
      clock.mockRestore();
    }
  });

  test.each([
    ['no object', 'x'],
    ['no object for a question', { 'question-1': 'x' }],
  ])('is refused with responses that are %s [checklist 43]', async (_what, inputResponses) => {
    const { client, requestState } = await started();
    expect((await retry(client, requestState, { inputResponses })).code).toBe(-32602);
  });

  test('is read with a key that was current before', async () => {
    const store = new MemoryStateStore();
    const { requestState } = await started({ state: { keys: [KEY], store } });
    const rotated = await shop({ state: { keys: ['another secret of at least 32 characters', KEY], store } });
    const client = statelessClient(rotated, CAPABILITIES, { requestInfo: { principal: { id: 'ada' } } });
    const more = { requestState, inputResponses: answers };
    expect(await round(client, 'buy', { what: 'tea' }, more)).toMatchObject({ resultType: 'input_required' });
  });

  test('is not read by a process with other keys', async () => {
    const { requestState } = await started();
    const other = await shop({ state: { keys: ['another secret of at least 32 characters'] } });
    const client = statelessClient(other, CAPABILITIES, {
      requestInfo: { principal: { id: 'ada' } },
    });
    expect((await retry(client, requestState)).code).toBe(-32602);
  });

  test('needs secrets that are long enough', async () => {
    await expect(shop({ state: { keys: ['short'] } })).rejects.toMatchObject({
      code: 'SIGIL_INVALID_OPTIONS',
    });
  });

  test('means nothing to a method that has no rounds, or to a session', async () => {
    const app = await shop();
    const list = await statelessClient(app).result('tools/list', { requestState: 'x' });
    expect(list['resultType']).toBe('complete');
    const answer = ({ method }: Message) =>
      method === 'sampling/createMessage' ? MODEL : { roots: [], ...ACCEPT('Ada') };
    const session = await openSession(app, '2025-11-25', CAPABILITIES, { answer });
    expect(textOf(await round(session, 'everybody', {}, { requestState: 'x' }))).toBe('Ada m 0');
  });
});

import { describe, expect, jest, test } from '@jest/globals';
import { IsString } from 'class-validator';
import { defineTool, ask, inputRequired, Tool, ToolContext } from '../../src/index.js';
import {
  appOf,
  type Client,
  deferred,
  type Json,
  openSession,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';

class NameForm {
  @IsString() name!: string;
}
const NAME = ask.form('Your name?', NameForm);
const ADA = { action: 'accept', content: { name: 'Ada' } };
const MODEL = { role: 'assistant', content: { type: 'text', text: 'Hm' }, model: 'm' };
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

class Desk {
  @Tool()
  show({ requestState, inputResponses }: ToolContext) {
    if (Object.keys(inputResponses).length > 0) return JSON.stringify([requestState, inputResponses]);
    return inputRequired({ name: NAME, where: ask.roots() }, 'top secret');
  }

  @Tool()
  async both(context: ToolContext) {
    const name = await context.inputResponse('name', NAME);
    const where = await context.inputResponse('where', ask.roots());
    if (name && where) return `${name.content?.name} ${where.length}`;
    return inputRequired({ ...(name ? {} : { name: NAME }), ...(where ? {} : { where: ask.roots() }) });
  }
}

const tool = (client: Client, name: string, more: Json = {}): Promise<Json> =>
  client.result('tools/call', { name, arguments: {}, ...more });
const questions = (client: Client) =>
  client.messages.filter(({ id, method }) => id !== undefined && method !== undefined);

describe('what a handler needs, on its way to a stateless client', () => {
  const stateless = async (): Promise<Client> =>
    statelessClient(await appOf({ services: [Desk] }), ALL, { requestInfo: { principal: { id: 'ada' } } });

  test('is a result of its own, with the questions by key and a sealed state [checklist 42] [checklist 39]', async () => {
    const result = await tool(await stateless(), 'show');
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        name: { method: 'elicitation/create', params: { message: 'Your name?' } },
        where: { method: 'roots/list' },
      },
      requestState: expect.any(String),
    });
    expect(Object.keys(result).sort()).toEqual(['_meta', 'inputRequests', 'requestState', 'resultType']);
    const carried = Buffer.from(String(result['requestState']), 'base64url').toString('latin1');
    expect(carried).not.toContain('secret');
  });

  test('has no questions when it is only to come back', async () => {
    const again = defineTool({
      name: 'again',
      handle: (_args, { requestState }) => requestState ?? inputRequired({}, 'state'),
    });
    const client = statelessClient(await appOf({ definitions: [again] }));
    const first = await tool(client, 'again');
    expect(Object.keys(first).sort()).toEqual(['_meta', 'requestState', 'resultType']);
    expect(textOf(await tool(client, 'again', { requestState: first['requestState'] }))).toBe('state');
  });

  test('comes back with the answers to what was asked, and no others [checklist 43]', async () => {
    const client = await stateless();
    const { requestState } = await tool(client, 'show');
    const inputResponses = { name: ADA, extra: { said: 'unasked' } };
    expect(textOf(await tool(client, 'show', { requestState, inputResponses }))).toBe(
      JSON.stringify(['top secret', { name: ADA }]),
    );
  });

  test('is asked again where it was left out, and what was answered is known [checklist 43]', async () => {
    const client = await stateless();
    const first = await tool(client, 'both');
    const second = await tool(client, 'both', {
      requestState: first['requestState'],
      inputResponses: { where: { roots: [] } },
    });
    expect(Object.keys(second['inputRequests'] as Json)).toEqual(['name']);
    const inputResponses = { name: ADA };
    const rest = { requestState: second['requestState'], inputResponses };
    expect(textOf(await tool(client, 'both', rest))).toBe('Ada 0');
  });

  test('is asked for although a client answers it in advance: that is no consent', async () => {
    const inputResponses = { name: ADA, where: { roots: [] } };
    const first = await tool(await stateless(), 'both', { inputResponses });
    expect(Object.keys(first['inputRequests'] as Json)).toEqual(['name', 'where']);
  });

  test.each(['tampered', 'of another principal', 'expired'])(
    'is refused with a state that is %s [checklist 43]',
    async (how) => {
      const app = await appOf({ services: [Desk], state: { ttlMs: 1000 } });
      const as = (id: string) => statelessClient(app, ALL, { requestInfo: { principal: { id } } });
      const { requestState } = await tool(as('ada'), 'show');
      const carried = how === 'tampered' ? `${String(requestState).slice(0, -3)}AAA` : requestState;
      const client = as(how === 'of another principal' ? 'eve' : 'ada');
      const now = Date.now();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(how === 'expired' ? now + 1001 : now);
      try {
        const params = { name: 'show', arguments: {}, requestState: carried, inputResponses: { name: ADA } };
        expect((await client.error('tools/call', params)).code).toBe(-32602);
      } finally {
        clock.mockRestore();
      }
    },
  );

  test('takes no identity of a page from the client', async () => {
    const visit = ask.url('Sign in', 'https://example.org');
    const page = defineTool({
      name: 'page',
      handle: async (_args, context) =>
        (await context.inputResponse('page', visit)) ?? inputRequired({ page: visit }),
    });
    const client = statelessClient(await appOf({ definitions: [page] }), ALL);
    const { requestState } = await tool(client, 'page');
    const inputResponses = { page: { action: 'accept', elicitationId: 'of somebody else' } };
    const result = await tool(client, 'page', { requestState, inputResponses });
    expect(result['structuredContent']).toEqual({ action: 'accept' });
  });

  test('is not held to any number of rounds', async () => {
    const client = statelessClient(await appOf({ definitions: [forEver()] }));
    let more: Json = {};
    for (let round = 0; round < 20; round++) {
      const { requestState } = await tool(client, 'for_ever', more);
      more = { requestState };
    }
    expect(await tool(client, 'for_ever', more)).toMatchObject({ resultType: 'input_required' });
  });
});

describe('what a handler needs, of a session', () => {
  const session = async (name: string) => {
    const client = await openSession(await appOf({ services: [Desk] }), '2025-11-25', ALL);
    const id = client.start('tools/call', { name });
    await settled();
    return { client, id, asked: questions(client) };
  };

  test('is asked for side by side, before anything is answered', async () => {
    const { client, id, asked } = await session('both');
    expect(asked.map(({ method }) => method)).toEqual(['elicitation/create', 'roots/list']);
    client.send({ jsonrpc: '2.0', id: asked[1]?.id, result: { roots: [] } });
    client.send({ jsonrpc: '2.0', id: asked[0]?.id, result: ADA });
    expect(textOf((await client.response(id)).result as Json)).toBe('Ada 0');
  });

  test('fails the call when the client refuses, and the rest is withdrawn', async () => {
    const { client, id, asked } = await session('both');
    client.send({ jsonrpc: '2.0', id: asked[0]?.id, error: { code: -1, message: 'No' } });
    expect((await client.response(id)).error).toEqual({ code: -32603, message: 'The client refused: No' });
    expect(client.heard('notifications/cancelled')).toMatchObject([{ requestId: asked[1]?.id }]);
  });

  test('is withdrawn, and the handler not run again, when the call is cancelled', async () => {
    const { client, id, asked } = await session('both');
    client.notify('notifications/cancelled', { requestId: id });
    await settled();
    expect(client.heard('notifications/cancelled')).toHaveLength(2);
    for (const question of asked) client.send({ jsonrpc: '2.0', id: question.id, result: ADA });
    await settled();
    expect(client.messages.filter((message) => message.id === id && !message.method)).toEqual([]);
  });

  test('is asked for sixteen times at most', async () => {
    const counts = { runs: 0 };
    const client = await openSession(await appOf({ definitions: [forEver(counts)] }));
    expect(await client.error('tools/call', { name: 'for_ever' })).toEqual({
      code: -32603,
      message: 'The tool for_ever still asks for input after 16 rounds',
    });
    expect(counts.runs).toBe(17);
  });

  test('knows the page by the identity the client was told', async () => {
    const visit = ask.url('Sign in', 'https://example.org');
    const page = defineTool({
      name: 'page',
      handle: async (_args, context) =>
        (await context.inputResponse('page', visit)) ?? inputRequired({ page: visit }),
    });
    const app = await appOf({ definitions: [page] });
    const answer = () => ({ action: 'accept' });
    const client = await openSession(app, '2025-11-25', ALL, { answer });
    const { elicitationId } = (await client.call('page'))['structuredContent'] as Json;
    expect(questions(client)[0]?.params).toMatchObject({ mode: 'url', elicitationId });
    expect(app.completeElicitation(String(elicitationId))).toBe(true);
  });

  test('makes a side effect anew that has failed, and only that', async () => {
    const made: string[] = [];
    const shop = defineTool({
      name: 'shop',
      handle: async (_args, context) => {
        await context.once('lasts', () => made.push('lasts'));
        const failed = await context
          .once('fails', () => {
            made.push('fails');
            if (context.requestState === undefined) throw new Error('no');
          })
          .catch(() => true);
        return failed ? inputRequired({}, 'again') : made.join();
      },
    });
    const client = await openSession(await appOf({ definitions: [shop] }));
    expect(textOf(await client.call('shop'))).toBe('lasts,fails,fails');
  });

  test('waits for side effects that have begun before it is run again', async () => {
    const made = deferred<string>();
    let effects = 0;
    const charge = defineTool({
      name: 'charge',
      handle: async (_args, context) => {
        const charged = context.once('charge', () => {
          effects += 1;
          return made.promise;
        });
        return context.requestState === undefined ? inputRequired({}, 'again') : charged;
      },
    });
    const client = await openSession(await appOf({ definitions: [charge] }));
    const call = client.call('charge');
    await settled();
    made.resolve('charged');
    expect([textOf(await call), effects]).toEqual(['charged', 1]);
  });

  test('is told of questions that change, as a stateless client is', async () => {
    const state = { runs: 0 };
    const fickle = defineTool({
      name: 'fickle',
      handle: async (_args, context) => {
        state.runs++;
        await context.elicit(`Question ${state.runs}?`, NameForm);
        return inputRequired({}, 'again');
      },
    });
    const app = await appOf({ definitions: [fickle] });
    const client = await openSession(app, '2025-11-25', ALL, { answer: () => ADA });
    expect((await client.error('tools/call', { name: 'fickle' })).message).toContain('"question-1"');
  });

  test('goes to a model in the words of the revision', async () => {
    const block = (text: string) => ({ type: 'text' as const, text });
    const messages = [{ role: 'user' as const, content: [block('one'), block('two')] }];
    const think = defineTool({
      name: 'think',
      handle: (_args, { inputResponses }) =>
        'plan' in inputResponses ? 'done' : inputRequired({ plan: ask.sample({ messages, maxTokens: 1 }) }),
    });
    const app = await appOf({ definitions: [think] });
    const client = await openSession(app, '2025-06-18', ALL, { answer: () => MODEL });
    await client.call('think');
    expect(questions(client)[0]?.params?.['messages']).toHaveLength(2);
  });
});

function forEver(counts = { runs: 0 }) {
  return defineTool({
    name: 'for_ever',
    handle: () => {
      counts.runs++;
      return inputRequired({}, 'again');
    },
  });
}

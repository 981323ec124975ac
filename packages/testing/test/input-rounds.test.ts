import { describe, expect, test } from '@jest/globals';
import { connect, type ElicitRequest } from '../src/index.js';
import { ScriptedEndpoint } from './scripted-endpoint.js';

const asking = (more: object) => ({ resultType: 'input_required', ...more });
const elicit = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object' } },
};
const roots = { method: 'roots/list' };
const done = { resultType: 'complete', content: [] };

/** A server that gives these results in order, the last one ever after. */
const giving = (...results: object[]) =>
  new ScriptedEndpoint(({ id }, send) =>
    send({ id, result: results.length > 1 ? results.shift() : results[0] }),
  );

const answers = {
  onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }) as const,
  roots: [{ uri: 'file:///a' }],
};

describe('a result that asks for input', () => {
  test('is answered in a retry with another id, the same parameters and the state untouched', async () => {
    const server = giving(
      asking({ inputRequests: { who: elicit, where: roots }, requestState: ' sealed ' }),
      done,
    );
    await using client = await connect(server, answers);
    expect(await client.callTool('greet', { loud: true })).toEqual(done);
    const [first, retry] = server.received;
    expect(retry?.id).not.toBe(first?.id);
    expect(retry?.params).toEqual({
      ...first?.params,
      inputResponses: {
        who: { action: 'accept', content: { name: 'Ada' } },
        where: { roots: [{ uri: 'file:///a' }] },
      },
      requestState: ' sealed ',
    });
  });

  test('may come again, and each retry carries the last round alone', async () => {
    const server = giving(
      asking({ inputRequests: { one: roots }, requestState: 'a' }),
      asking({ inputRequests: { two: roots } }),
      asking({ requestState: 'c' }),
      done,
    );
    await using client = await connect(server, answers);
    await client.readResource('desk://manual');
    const rounds = server.received.map(({ params: { inputResponses, requestState } }) => [
      Object.keys(inputResponses ?? {}),
      requestState,
    ]);
    expect(rounds).toEqual([
      [[], undefined],
      [['one'], 'a'],
      [['two'], undefined],
      [[], 'c'],
    ]);
  });

  test('is given up after ten retries', async () => {
    const server = giving(asking({ requestState: 'again' }));
    await using client = await connect(server);
    await expect(client.getPrompt('letter')).rejects.toThrow(
      'prompts/get still asks for input after 10 rounds',
    );
    expect(server.received).toHaveLength(11);
  });

  test('may ask several things, which are answered one after another in their order', async () => {
    const heard: string[] = [];
    const ask = (message: string) => ({ method: 'elicitation/create', params: { message } });
    const server = giving(
      asking({ inputRequests: { b: ask('first'), where: roots, a: ask('second') } }),
      done,
    );
    const onElicit = async ({ message }: ElicitRequest) => {
      heard.push(`asked ${message}`);
      await Promise.resolve();
      heard.push(`answered ${message}`);
      return { action: 'decline' } as const;
    };
    await using client = await connect(server, { ...answers, onElicit });
    await client.callTool('greet');
    expect(heard).toEqual(['asked first', 'answered first', 'asked second', 'answered second']);
    expect(Object.keys(server.received[1]?.params['inputResponses'] as object)).toEqual(['b', 'where', 'a']);
  });

  test('is not retried when one of several things has no answer', async () => {
    const server = giving(asking({ inputRequests: { where: roots, who: elicit } }), done);
    await using client = await connect(server, { roots: [] });
    await expect(client.callTool('greet')).rejects.toThrow('the input request "who"');
    expect(server.received).toHaveLength(1);
  });

  test('fails the call when nothing answers it', async () => {
    await using client = await connect(giving(asking({ inputRequests: { who: elicit } })));
    await expect(client.callTool('greet')).rejects.toMatchObject({
      code: -32601,
      message: 'The test client has no answer to elicitation/create (the input request "who")',
    });
  });

  test.each([
    ['asks for nothing', asking({}), /neither inputRequests nor requestState/],
    ['asks with no request', asking({ inputRequests: { who: 'you' } }), /"who" must be an object/],
    ['is of an unknown type', { resultType: 'later' }, /Unknown resultType: "later"/],
  ])('fails the call when it %s', async (_, result, message) => {
    await using client = await connect(giving(result));
    await expect(client.callTool('greet')).rejects.toThrow(message);
  });

  test('is an ordinary result in older revisions', async () => {
    const opened = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    await using client = await connect(giving(opened, asking({ content: [] })), { revision: '2025-11-25' });
    expect(await client.callTool('greet')).toMatchObject({ resultType: 'input_required' });
  });
});

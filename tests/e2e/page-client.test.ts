import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LogMessage, McpClient, Progress, Question } from '../../packages/cli/page/src/mcp/messages.js';
import { listAll, resultOf } from '../../packages/cli/page/src/mcp/messages.js';
import { SessionClient } from '../../packages/cli/page/src/mcp/session-client.js';
import { StatelessClient } from '../../packages/cli/page/src/mcp/stateless-client.js';
import type { JsonObject } from '../../packages/cli/src/json.js';
import { parameterHeaders } from '../../packages/cli/src/program/parameter-headers.js';
import { serveEverything } from './each-full-client.js';
import { endProcesses, until } from './processes.js';

/** What the client under test asks, and hears. */
interface Page {
  readonly client: McpClient;
  readonly questions: Question[];
  readonly heard: string[];
}

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': {
    action: 'accept',
    content: { name: 'Ada', color: 'blue', ok: true, confirm: true },
  },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'a developer',
  },
  'roots/list': { roots: [{ uri: 'file:///work' }] },
};

let address = '';
beforeAll(async () => {
  address = await serveEverything();
}, 60_000);
afterAll(endProcesses);

function openPage(Client: typeof StatelessClient | typeof SessionClient): Page {
  const questions: Question[] = [];
  const heard: string[] = [];
  const client = new Client({
    send: (init) => fetch(address, init),
    ask: async (question) => {
      questions.push(question);
      return question.params['message'] === 'Please refuse' ? undefined : ANSWERS[question.method];
    },
    onNotification: (method) => heard.push(method),
  });
  return { client, questions, heard };
}

describe.each([StatelessClient, SessionClient])('%p', (Client) => {
  let page: Page;
  beforeAll(async () => {
    page = openPage(Client);
    await page.client.connect();
  });
  afterAll(() => page.client.close());

  async function call(name: string, args: JsonObject = {}): Promise<JsonObject> {
    return resultOf(await page.client.request('tools/call', { name, arguments: args }));
  }

  const textIn = ({ content }: JsonObject): unknown => (content as JsonObject[])[0]?.['text'];

  test('says who the server is', async () => {
    const { serverInfo, capabilities, instructions } = await page.client.connect();
    expect(serverInfo).toMatchObject({ name: 'everything', version: '0.1.0' });
    expect(Object.keys(capabilities)).toContain('tools');
    expect(instructions).toContain('none of them affects other systems');
  });

  test('lists what is served', async () => {
    const tools = await listAll(page.client, 'tools/list', 'tools');
    expect(tools.map(({ name }) => name)).toContain('place_order');
    expect(await listAll(page.client, 'resources/templates/list', 'resourceTemplates')).not.toHaveLength(0);
  });

  test('counts the time and the bytes of an answer', async () => {
    const answer = await page.client.request('tools/call', { name: 'test_simple_text', arguments: {} });
    expect(answer).toMatchObject({ outcome: { kind: 'result' }, httpStatus: 200 });
    expect(answer.ms).toBeGreaterThan(0);
    expect(answer.bytes).toBeGreaterThan(50);
  });

  test('tells errors of the protocol from results', async () => {
    const { outcome } = await page.client.request('tools/call', { name: 'fail_protocol', arguments: {} });
    expect(outcome).toMatchObject({ kind: 'error', error: { code: 4001 } });
  });

  test('passes progress and log messages of a call on', async () => {
    const progress: Progress[] = [];
    const logs: LogMessage[] = [];
    const events = {
      onProgress: (one: Progress) => progress.push(one),
      onLog: (one: LogMessage) => logs.push(one),
    };
    await page.client.request('tools/call', { name: 'test_tool_with_progress', arguments: {} }, events);
    await page.client.request('tools/call', { name: 'test_tool_with_logging', arguments: {} }, events);
    expect(progress).toHaveLength(3);
    expect(logs).toHaveLength(3);
  });

  test('answers questions, one round after the other', async () => {
    page.questions.length = 0;
    expect(textIn(await call('test_input_required_result_multi_round'))).toBe('Ada likes blue');
    expect(page.questions.map(({ params }) => params['message'])).toEqual([
      'Step 1: What is your name?',
      'Step 2: What is your favorite color?',
    ]);
  });

  test('answers questions to user, model and client at once', async () => {
    const { content } = await call('test_input_required_result_multiple_inputs');
    expect(content).toMatchObject([{ text: 'Paris Ada, you share 1 roots' }]);
  });

  test('cancels a running call, which reaches its handler', async () => {
    const ending = new AbortController();
    const label = Client.name;
    const params = { name: 'wait_until_cancelled', arguments: { label } };
    const answer = page.client.request('tools/call', params, { signal: ending.signal });
    const state = async (): Promise<unknown> => textIn(await call('state_of_wait', { label }));
    await until(async () => (await state()) === 'waiting');
    ending.abort();
    expect((await answer).outcome).toEqual({ kind: 'cancelled' });
    await until(async () => (await state()) !== 'waiting');
  });

  test('comes back for a result whose stream was closed', async () => {
    expect(textIn(await call('test_reconnection'))).toContain('come back');
  });

  test('hears of changes of lists and of resources', async () => {
    page.heard.length = 0;
    await page.client.listen(['test://watched-resource']);
    const heardOf = async (tool: string, method: string): Promise<void> => {
      await until(async () => {
        await call(tool);
        return page.heard.includes(method);
      });
    };
    await heardOf('touch_watched_resource', 'notifications/resources/updated');
    await heardOf('test_trigger_tool_change', 'notifications/tools/list_changed');
    await page.client.listen([]);
  });
});

test('a session names the revision that the server has agreed to', async () => {
  const named: unknown[] = [];
  const send = async ({ body, headers }: RequestInit): Promise<Response> => {
    const { id, method } = JSON.parse(typeof body === 'string' ? body : '{}') as {
      id?: number;
      method?: string;
    };
    named.push([method, new Headers(headers).get('mcp-protocol-version')]);
    if (id === undefined) return new Response(null, { status: method === undefined ? 405 : 202 });
    return Response.json({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities: {} } });
  };
  const client = new SessionClient({ send, ask: async () => undefined, onNotification: () => undefined });
  expect(await client.connect()).toMatchObject({ protocolVersion: '2025-06-18' });
  await client.request('tools/list', {});
  expect(named).toContainEqual(['initialize', '2025-11-25']);
  expect(named).toContainEqual(['tools/list', '2025-06-18']);
});

test('a failed connection is an answer', async () => {
  const send = (): Promise<Response> => Promise.reject(new TypeError('no connection'));
  const client = new StatelessClient({ send, ask: async () => undefined, onNotification: () => undefined });
  expect(await client.request('tools/list', {})).toMatchObject({
    outcome: { kind: 'failed', reason: 'no connection' },
    httpStatus: 0,
  });
});

test('a call becomes a task, which asks and is answered', async () => {
  const { client } = openPage(StatelessClient);
  const begun = resultOf(
    await client.request('tools/call', { name: 'confirm_delete', arguments: { filename: 'a.txt' } }),
  );
  const { taskId } = begun;
  expect(begun).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
  let task: JsonObject = {};
  const isAt = async (status: string): Promise<boolean> => {
    task = resultOf(await client.request('tasks/get', { taskId }));
    return task['status'] === status;
  };
  await until(() => isAt('input_required'));
  const inputResponses = await (client as StatelessClient).answer(task['inputRequests']);
  await client.request('tasks/update', { taskId, inputResponses });
  await until(() => isAt('completed'));
  expect(task['result']).toMatchObject({ content: [{ text: 'Deleted a.txt' }] });
});

test('repeats arguments in headers where the schema of a tool asks for it', async () => {
  const { client } = openPage(StatelessClient);
  const tools = await listAll(client, 'tools/list', 'tools');
  const { inputSchema } = tools.find(({ name }) => name === 'test_x_mcp_header') ?? {};
  for (const region of ['eu', 'Zürich', ' padded ']) {
    const args = { region };
    const headers = parameterHeaders(inputSchema, args);
    const answer = await client.request(
      'tools/call',
      { name: 'test_x_mcp_header', arguments: args },
      { headers },
    );
    expect(resultOf(answer)).toMatchObject({ content: [{ text: `region=${region}, level=<none>` }] });
  }
});

test('a question that is refused ends the call', async () => {
  const { client } = openPage(StatelessClient);
  const params = { name: 'test_elicitation', arguments: { message: 'Please refuse' } };
  expect((await client.request('tools/call', params)).outcome).toEqual({ kind: 'cancelled' });
});

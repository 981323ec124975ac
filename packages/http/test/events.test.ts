import { afterEach, describe, expect, test } from '@jest/globals';
import { defineTool, type RefusalEvent, TaskSupport, type ToolContext } from '@sigil/core';
import { http, type HttpRuntimeOptions } from '../src/index.js';
import { EventReader } from './fixtures/events.js';
import { call, callModern, json, META, postModern, textOf } from './fixtures/messages.js';
import { nodeFetch } from './fixtures/node-fetch.js';
import { Running } from './fixtures/running.js';
import { openSession } from './fixtures/session.js';
import { until, within } from './fixtures/within.js';

const running = new Running();
const TOKEN = 'a-token-of-the-operators-of-a-server';
const OTHER_TOKEN = 'another-token-of-those-who-operate-it';
const events = { token: TOKEN };

interface Told {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Someone who watches, and what they have been told. */
class Watcher {
  readonly told: Told[] = [];
  hasEnded = false;

  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {
    void this.#read();
  }

  of(event: string): readonly Told['data'][] {
    return this.told.filter((one) => one.event === event).map(({ data }) => data);
  }

  async leave(): Promise<void> {
    await this.reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for (let next = await this.reader.read(); !next.done; next = await this.reader.read()) {
      text += decoder.decode(next.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event) this.told.push({ event, data: JSON.parse(data) as Told['data'] });
      }
    }
    this.hasEnded = true;
  }
}

const server = { address: '' };

async function start(options: HttpRuntimeOptions = {}): Promise<void> {
  server.address = (await running.start({ events, ...options })).address ?? '';
}

function ask(init: RequestInit = {}, token = TOKEN, path = '/events'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
  return within(nodeFetch(new URL(path, server.address).href, { ...init, headers }));
}

async function watch(): Promise<Watcher> {
  const watcher = new Watcher((await ask()).body!.getReader());
  await until(() => watcher.of('state').length > 0);
  return watcher;
}

/** Those who send messages to the server. */
const bench = {
  send: (init: RequestInit) => nodeFetch(server.address, init),
  close: () => Promise.resolve(),
};

afterEach(() => {
  delete process.env['SIGIL_EVENTS_TOKEN'];
});

describe('the events of a server', () => {
  test('tell which calls have ended, without arguments and results', async () => {
    await start();
    const watcher = await watch();
    const response = await callModern(bench, 'echo', { text: 'a secret' });
    expect(await response.text()).toContain('a secret');
    await callModern(bench, 'unknown');
    await until(() => watcher.of('call').length === 2);
    const [ended, failed] = watcher.of('call');
    expect(ended).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      id: response.headers.get('x-request-id'),
      method: 'tools/call',
      name: 'echo',
      outcome: 'ok',
      ms: expect.any(Number),
      bytes: expect.any(Number),
      protocolVersion: '2026-07-28',
      transport: 'http',
      address: '127.0.0.1',
    });
    expect(failed).toMatchObject({ name: 'unknown', outcome: 'refused', refusedBy: 'name', code: -32602 });
    expect(JSON.stringify(watcher.told)).not.toContain('a secret');
  });

  test('tell what is open, at once and when it has changed', async () => {
    await start();
    const session = await openSession(bench);
    const watcher = await watch();
    expect(watcher.of('state')).toEqual([
      {
        pid: process.pid,
        startedAt: expect.any(String),
        isWorker: false,
        sessions: 1,
        calls: 0,
        tasks: 0,
        running: [],
      },
    ]);
    const pending = callModern(bench, 'hold', { label: 'a' });
    const held = await running.fixture.holds.next();
    await until(() => watcher.of('state').length > 1);
    const later = await watch();
    for (const state of [watcher.of('state')[1], later.of('state')[0]])
      expect(state).toMatchObject({
        calls: 1,
        running: [{ since: expect.any(String), method: 'tools/call', name: 'hold' }],
      });
    held.release();
    await pending;
    await session.end();
    await until(() => watcher.of('state').at(-1)?.['sessions'] === 0);
    expect(watcher.of('state').at(-1)).toMatchObject({ calls: 0, running: [] });
  });

  test('tell which requests were refused before they were calls', async () => {
    await start();
    const watcher = await watch();
    expect((await nodeFetch(server.address, { headers: { Host: 'evil.example' } })).status).toBe(403);
    expect((await ask({}, 'x')).status).toBe(401);
    await until(() => watcher.of('refused').length === 2);
    expect(watcher.of('refused')).toMatchObject([
      { by: 'host', status: 403, address: '127.0.0.1', reason: expect.any(String) },
      { by: 'token', status: 401 },
    ]);
  });

  test('tell which questions are open in a session, without what is asked', async () => {
    await start();
    const watcher = await watch();
    const session = await openSession(bench, '2025-11-25', { elicitation: {} });
    const stream = new EventReader(await session.post(call('ask', {}, 'outer')));
    const asked = await within(stream.message());
    await until(() => watcher.of('question').length === 1);
    const [question] = watcher.of('question');
    expect(question).toMatchObject({
      id: expect.stringContaining(String(question?.['callId'])),
      method: 'tools/call',
      name: 'ask',
      asks: 'elicitation/create',
      status: 'open',
    });
    const result = { action: 'accept', content: { name: 'Ada' } };
    await session.post({ jsonrpc: '2.0', id: asked?.id, result });
    await until(() => watcher.of('question').length === 2);
    expect(watcher.of('question')[1]).toMatchObject({ id: question?.['id'], status: 'answered' });
    await until(() => watcher.of('call').some(({ id: callId }) => callId === question?.['callId']));

    const failing = new EventReader(await session.post(call('ask', {}, 'failing')));
    const refused = await within(failing.message());
    await session.post({ jsonrpc: '2.0', id: refused?.id, error: { code: -1, message: 'no' } });
    await until(() => watcher.of('question').at(-1)?.['status'] === 'failed');
    expect(JSON.stringify(watcher.told)).not.toMatch(/Who are you|Ada/);
  });

  test('tell which questions are open in a result, until the client repeats the request', async () => {
    await start();
    const watcher = await watch();
    const asks = { meta: { [META.capabilities]: { elicitation: { form: {} } } } };
    const { result } = await json(await callModern(bench, 'ask', {}, asks));
    await until(() => watcher.of('question').length === 1);
    const [question] = watcher.of('question');
    expect(question).toMatchObject({ name: 'ask', asks: 'elicitation/create', status: 'open' });
    const [key = ''] = Object.keys(result?.['inputRequests'] as object);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    const { requestState } = result ?? {};
    const again = { name: 'ask', arguments: {}, inputResponses, requestState };
    const answer = await json(await postModern(bench, 'tools/call', again, asks));
    expect(textOf(answer)).toBe('accept Ada');
    await until(() => watcher.of('question').length === 2);
    expect(watcher.of('question')[1]).toMatchObject({ id: question?.['id'], status: 'answered' });
    expect(JSON.stringify(watcher.told)).not.toMatch(/Who are you|Ada/);
  });

  test('tell how tasks stand', async () => {
    const TASKS = 'io.modelcontextprotocol/tasks';
    const handle = async (_args: unknown, context: ToolContext): Promise<string> => {
      await context.elicit('Go on?', { type: 'object', properties: {} });
      return 'done';
    };
    const definitions = [defineTool({ name: 'later', metadata: TaskSupport.entry('required'), handle })];
    server.address = (await running.start({ events }, { definitions })).address ?? '';
    const watcher = await watch();
    const declares = {
      meta: { [META.capabilities]: { elicitation: { form: {} }, extensions: { [TASKS]: {} } } },
    };
    const { result } = await json(await callModern(bench, 'later', {}, declares));
    const { taskId } = result ?? {};
    await until(() => watcher.of('task').length === 2);
    expect(watcher.of('task')).toEqual([
      { time: expect.any(String), id: taskId, tool: 'later', status: 'working', ms: expect.any(Number) },
      expect.objectContaining({ id: taskId, status: 'input_required' }),
    ]);
    await postModern(
      bench,
      'tasks/cancel',
      { taskId },
      { ...declares, headers: { 'Mcp-Name': String(taskId) } },
    );
    await until(() => watcher.of('task').length === 3);
    expect(watcher.of('task')[2]).toMatchObject({ id: taskId, status: 'cancelled' });
  });

  test('tell the address of the client behind a proxy, where it is trusted', async () => {
    await start({ trustedProxies: ['127.0.0.1'] });
    const watcher = await watch();
    expect((await ask({ headers: { 'X-Forwarded-For': '203.0.113.7' } }, 'x')).status).toBe(401);
    await until(() => watcher.of('refused').length === 1);
    expect(watcher.of('refused')).toMatchObject([{ by: 'token', address: '203.0.113.7' }]);
  });

  test('are told to those who send the token, and to no others', async () => {
    await start();
    for (const token of [`${TOKEN.slice(0, -1)}x`, `${TOKEN}x`, 'undefined'])
      expect((await ask({}, token)).status).toBe(401);
    expect((await ask({ headers: { Host: 'evil.example' } })).status).toBe(403);
    expect((await ask({ headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    const posted = await ask({ method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('are told to four at once, and to another one when one of them has left', async () => {
    await start();
    const watchers = [await watch(), await watch(), await watch(), await watch()];
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    await watchers[0]?.leave();
    await until(async () => {
      const response = await ask();
      await response.body?.cancel();
      return response.status === 200;
    });
  });

  test('are made only while there is a watcher', async () => {
    const { app } = running.fixture;
    const { endpoint } = app;
    let watches = 0;
    const { observe } = endpoint;
    endpoint.observe = (observer) => {
      watches += 1;
      const stop = observe!.call(endpoint, observer);
      return () => {
        watches -= 1;
        stop();
      };
    };
    await start();
    expect(watches).toBe(0);
    const [one, other] = [await watch(), await watch()];
    expect(watches).toBe(1);
    await one.leave();
    await callModern(bench, 'echo', { text: 'a' });
    await until(() => other.of('call').length === 1);
    await other.leave();
    await until(() => watches === 0);
  });

  test('cut off a watcher that does not read, and go on for others', async () => {
    await start({ limits: { maxBufferedBytes: 1_000_000 } });
    const [slow, quick] = [running.client(server.address), await watch()];
    slow.socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await until(() => slow.received.includes('event: state'));
    slow.socket.pause();
    // Events so long that what a socket takes is soon full.
    const refusal: RefusalEvent = {
      by: 'rate',
      id: 'r1',
      reason: 'x'.repeat(200_000),
      status: 429,
      httpMethod: 'POST',
      path: '/mcp',
      address: undefined,
      principal: undefined,
    };
    for (let told = 1; told <= 60; told += 1) {
      running.fixture.app.endpoint.refused?.(refusal);
      await until(() => quick.of('refused').length === told);
    }
    slow.socket.resume();
    await within(slow.ended);
    expect(slow.received.split('event: refused').length - 1).toBeLessThan(60);
    expect(quick.hasEnded).toBe(false);
  });

  test('end when the server closes', async () => {
    const started = await running.start({ events });
    server.address = started.address ?? '';
    const watcher = await watch();
    await within(started.close());
    await until(() => watcher.hasEnded);
  });

  test.each<[object, string, string]>([
    [{ events: { token: 'short' } }, 'events.token', 'at least 32 characters'],
    [{ events: { token: '' } }, 'events.token', 'at least 32 characters'],
    [{ events: { token: `${TOKEN} ` } }, 'events.token', 'letters, digits'],
    [{ events: { token: TOKEN, path: '/mcp' } }, 'events', 'the server already uses /mcp'],
    [{ events: { token: TOKEN, path: 'x' } }, 'events', "it must be a path such as /events, not 'x'"],
    [{ events: TOKEN }, 'events', 'it must be an object'],
  ])('are refused before the start: %j', (options, option, what) => {
    expect(() => http(options)).toThrow(`http({ ${option} }): `);
    expect(() => http(options)).toThrow(what);
    expect(() => http(options)).not.toThrow(TOKEN);
  });

  test.each([undefined, ''])('are off without a token, also where the variable is %j', async (variable) => {
    if (variable !== undefined) process.env['SIGIL_EVENTS_TOKEN'] = variable;
    await start({ events: { token: undefined } });
    expect((await ask()).status).toBe(404);
  });

  test.each<[string, HttpRuntimeOptions, string]>([
    ['without options', {}, '/events'],
    ['with a path', { events: { path: '/happens' } }, '/happens'],
    ['without a token', { events: { token: undefined } }, '/events'],
  ])('are served to who has the token of SIGIL_EVENTS_TOKEN, %s', async (_, options, path) => {
    process.env['SIGIL_EVENTS_TOKEN'] = TOKEN;
    server.address = (await running.start(options)).address ?? '';
    const statusOf = async (token: string) => (await ask({}, token, path)).status;
    expect(await statusOf(TOKEN)).toBe(200);
    expect(await statusOf(OTHER_TOKEN)).toBe(401);
  });

  test('prefer the token of the program', async () => {
    process.env['SIGIL_EVENTS_TOKEN'] = OTHER_TOKEN;
    await start();
    expect((await ask()).status).toBe(200);
    expect((await ask({}, OTHER_TOKEN)).status).toBe(401);
  });

  test.each([
    ['short', 'at least 32 characters'],
    [`${TOKEN} `, 'letters, digits'],
  ])('are refused before the start with the variable %j', (variable, what) => {
    process.env['SIGIL_EVENTS_TOKEN'] = variable;
    expect(() => http()).toThrow('http({ events }): SIGIL_EVENTS_TOKEN must be ');
    expect(() => http()).toThrow(what);
    expect(() => http()).not.toThrow(TOKEN);
  });
});

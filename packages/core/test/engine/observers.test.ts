import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  type App,
  type AppOptions,
  type CallEvent,
  defineTool,
  type Observer,
  InsufficientScopeError,
  ProtocolError,
  type RequestInfo,
  RequireScopes,
  Resource,
  Tool,
  ToolContext,
  ToolError,
  UseGuards,
  type CallInfo,
  type Gauge,
  type StoreEvent,
} from '../../src/index.js';
import { type BackendWatch, memoryBackend } from '../../src/backend.js';
import {
  appOf,
  Client,
  type ClientOptions,
  deferred,
  openSession,
  recordingLogger,
  statelessClient,
  textOf,
  until,
} from '../harness.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const FORM = { type: 'object', properties: {} };

class Desk {
  readonly started = deferred();

  @Tool()
  add(): number {
    return 3;
  }

  @Tool()
  echo(@Arg('text') text: string): string {
    return text;
  }

  @Tool()
  refuseModel(): never {
    throw new ToolError('not like this');
  }

  @Tool()
  fail(): never {
    throw new ProtocolError(-32050, 'out of order');
  }

  @Tool()
  async ask(context: ToolContext) {
    await context.elicit('Sure?', FORM);
    return 'done';
  }

  @Tool()
  async wait(context: ToolContext) {
    this.started.resolve();
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'over';
  }

  @Tool()
  async look(context: ToolContext) {
    return (await context.roots()).length;
  }

  @Tool({ timeoutMs: 20 })
  async slow(context: ToolContext) {
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'late';
  }

  @Tool()
  @UseGuards(() => false)
  hidden(): string {
    return 'never';
  }

  @Tool()
  @UseGuards(
    class {
      allows() {
        return true;
      }
      permits() {
        return false;
      }
    },
  )
  unpermitted(): string {
    return 'never';
  }

  @Tool()
  @RequireScopes('desk:write')
  write(): string {
    return 'never';
  }

  @Tool()
  demand(): never {
    throw new InsufficientScopeError(['desk:all']);
  }

  @Tool()
  whoami(context: ToolContext) {
    return context.id;
  }

  @Resource('desk://lamp')
  lamp(): string {
    return 'on';
  }
}

async function watched(options: Partial<AppOptions> = {}): Promise<{ app: App; events: CallEvent[] }> {
  const app = await appOf({ services: [Desk], ...options });
  const events: CallEvent[] = [];
  app.on('call', (event) => events.push(event));
  return { app, events };
}

const call = async (app: App, name: string, options: ClientOptions = {}): Promise<void> => {
  await statelessClient(app, { elicitation: {} }, options).request('tools/call', { name });
};

describe('the event of a call', () => {
  test.each([
    ['add', 'ok', undefined],
    ['refuse_model', 'isError', undefined],
    ['fail', 'error', undefined],
    ['ask', 'asked', undefined],
    ['slow', 'timeout', undefined],
    ['hidden', 'refused', 'guard'],
    ['unpermitted', 'refused', 'guard'],
    ['write', 'refused', 'scope'],
    ['demand', 'refused', 'scope'],
  ])('of the tool %s has the outcome %s, refused by %s', async (name, outcome, refusedBy) => {
    const { app, events } = await watched();
    await call(app, name);
    expect(events).toEqual([
      expect.objectContaining({ method: 'tools/call', name, isKnownName: true, outcome, refusedBy }),
    ]);
  });

  test('has who called, by which revision, how long it took and how long its answer is', async () => {
    const { app, events } = await watched();
    const requestInfo: RequestInfo = {
      headers: { 'x-request-id': 'req-7', traceparent, authorization: 'Bearer secret' },
      address: '192.0.2.7',
      principal: { id: 'ada' },
    };
    const client = statelessClient(app, {}, { requestInfo });
    await client.request('tools/call', { name: 'add' }, 'a1');
    const [event] = events;
    expect(event).toMatchObject({
      id: 'req-7',
      requestId: 'a1',
      isKnownMethod: true,
      principal: { id: 'ada' },
      client: 'tester 0',
      protocolVersion: '2026-07-28',
      transport: 'memory',
      address: '192.0.2.7',
      headers: { 'x-request-id': 'req-7' },
      trace: { traceparent, traceId: TRACE_ID, spanId: '00f067aa0ba902b7' },
      error: undefined,
      task: undefined,
    });
    expect(JSON.stringify(event)).not.toContain('secret');
    expect(event?.ms).toBeGreaterThanOrEqual(0);
    expect(event?.bytes).toBe(JSON.stringify(client.received.at(-1)).length);
    expect(event?.result()).toMatchObject({ content: [{ type: 'text', text: '3' }] });
  });

  test.each(['a'.repeat(20_000), 'ü'.repeat(20_000), '😀'.repeat(20_000), `a${'😀'.repeat(5000)}`])(
    'has the bytes of an answer, however long and in whatever script',
    async (text) => {
      const { app, events } = await watched();
      const client = statelessClient(app);
      await client.request('tools/call', { name: 'echo', arguments: { text } });
      expect(events[0]?.bytes).toBe(new TextEncoder().encode(JSON.stringify(client.received.at(-1))).length);
    },
  );

  test('prefers the trace of _meta to that of HTTP', async () => {
    const { app, events } = await watched();
    const requestInfo = { headers: { traceparent } };
    const other = traceparent.replace('4bf9', '0af7');
    const client = statelessClient(app, {}, { requestInfo });
    await client.request('tools/call', { name: 'add', _meta: { ...client.envelope, traceparent: other } });
    expect(events[0]?.trace?.traceparent).toBe(other);
  });

  test.each([
    '',
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff${traceparent.slice(2)}`,
    traceparent.toUpperCase(),
    `${traceparent}-extra`,
    `${traceparent}-`,
    `${traceparent}\n`,
    `01${traceparent.slice(2)}\n`,
    `01${traceparent.slice(2)}-extra\n`,
    `01${traceparent.slice(2)}extra`,
  ])('has no trace where traceparent is %j', async (broken) => {
    const { app, events } = await watched();
    await call(app, 'add', { requestInfo: { headers: { traceparent: broken } } });
    expect(events[0]?.trace).toBeUndefined();
  });

  test('has the trace of a later version, which may have more fields', async () => {
    const later = `01${traceparent.slice(2)}-extra`;
    const { app, events } = await watched();
    await call(app, 'add', { requestInfo: { headers: { traceparent: later } } });
    expect(events[0]?.trace).toMatchObject({ traceparent: later, traceId: TRACE_ID });
  });

  test('gives an id of its own to a request whose header is no id', async () => {
    const { app, events } = await watched();
    for (const id of ['', 'a b', 'x'.repeat(129), 'ü'])
      await call(app, 'add', { requestInfo: { headers: { 'x-request-id': id } } });
    const ids = events.map((event) => event.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[\da-f-]{36}$/.test(id))).toBe(true);
  });

  test('has the id that the handler and the transport see', async () => {
    const { app, events } = await watched();
    const named: string[] = [];
    const client = statelessClient(app, {}, { requestInfo: { named: (id) => named.push(id) } });
    const result = await client.result('tools/call', { name: 'whoami' });
    expect([textOf(result)]).toEqual(named);
    expect(events.map(({ id }) => id)).toEqual(named);
  });

  test.each([
    ['an unknown method', 'tools/nope', {}, 'method', false],
    ['no session', 'tools/call', {}, 'message', true],
  ])(
    'is told of a request that is refused for %s',
    async (_what, method, params, refusedBy, isKnownMethod) => {
      const { app, events } = await watched();
      const client = refusedBy === 'message' ? new Client(app) : statelessClient(app);
      await client.request(method, params);
      expect(events).toMatchObject([{ method, outcome: 'refused', refusedBy, isKnownMethod, ms: 0 }]);
      expect(events[0]?.error?.code).toBeLessThan(0);
    },
  );

  test('is told by which revision a request would have been served, and for whom', async () => {
    const { app, events } = await watched({ limits: { maxInFlight: 1 } });
    const client = statelessClient(app);
    await client.request('tools/nope');
    client.start('tools/call', { name: 'wait' });
    const { started } = await app.get(Desk);
    await started.promise;
    await client.request('tools/call', { name: 'add' });
    const known = { client: 'tester 0', protocolVersion: '2026-07-28' };
    expect(events).toEqual([
      expect.objectContaining({ ...known, refusedBy: 'method' }),
      expect.objectContaining({ ...known, refusedBy: 'quota' }),
    ]);
  });

  test('is told of an unknown tool, with its name cut short', async () => {
    const { app, events } = await watched();
    await call(app, 'x'.repeat(5000));
    expect(events).toMatchObject([
      { isKnownName: false, outcome: 'refused', refusedBy: 'name', error: { code: -32602 } },
    ]);
    expect(events[0]?.name?.length).toBeLessThan(300);
  });

  test('is told of a client for which there is no room', async () => {
    const { app, events } = await watched({ limits: { maxInFlight: 1 } });
    const first = statelessClient(app, { elicitation: {} });
    first.start('tools/call', { name: 'wait' });
    await (
      await app.get(Desk)
    ).started.promise;
    await call(app, 'add');
    expect(events).toMatchObject([{ name: 'add', outcome: 'refused', refusedBy: 'quota' }]);
  });

  test('is told once of a call that its client cancels', async () => {
    const { app, events } = await watched();
    const client = await openSession(app, '2025-11-25');
    events.length = 0;
    client.start('tools/call', { name: 'wait' }, 9);
    await (
      await app.get(Desk)
    ).started.promise;
    client.notify('notifications/cancelled', { requestId: 9 });
    await until(() => events.length > 0);
    expect(events).toMatchObject([{ name: 'wait', requestId: 9, outcome: 'cancelled', bytes: 0 }]);
  });
});

describe('an observer', () => {
  test('runs around guards and handler, and hears of what is asked of the client', async () => {
    const app = await appOf({ services: [Desk] });
    const seen: string[] = [];
    app.observe({
      callStarted: ({ method }: CallInfo) => ({
        run(work) {
          seen.push(`begin ${method}`);
          return work();
        },
        clientRequest(request) {
          seen.push(`ask ${request.method}`);
          return { meta: { traceparent }, ended: (error) => void seen.push(`answer ${String(error)}`) };
        },
        ended: ({ outcome }) => void seen.push(`end ${outcome}`),
      }),
    });
    const client = await openSession(
      app,
      '2025-11-25',
      { elicitation: {} },
      { answer: () => ({ action: 'accept', content: {} }) },
    );
    seen.length = 0;
    await client.request('tools/call', { name: 'ask' });
    expect(seen).toEqual(['begin tools/call', 'ask elicitation/create', 'answer undefined', 'end ok']);
    const asked = await client.waitFor(({ method }) => method === 'elicitation/create');
    expect(asked).toHaveProperty('params._meta.traceparent', traceparent);
  });

  test('adds to the _meta of requests that have no parameters else', async () => {
    const app = await appOf({ services: [Desk] });
    app.observe({
      callStarted: () => ({ clientRequest: () => ({ meta: { traceparent }, ended: () => undefined }) }),
    });
    const client = await openSession(app, '2025-11-25', { roots: {} }, { answer: () => ({ roots: [] }) });
    await client.request('tools/call', { name: 'look' });
    const asked = await client.waitFor(({ method }) => method === 'roots/list');
    expect(asked).toHaveProperty('params', { _meta: { traceparent } });
  });

  test('that throws is logged, and changes nothing', async () => {
    const logger = recordingLogger();
    const app = await appOf({ services: [Desk], logger });
    const fail = (): never => {
      throw new Error('broken');
    };
    app.observe({ callStarted: fail });
    app.observe({ callStarted: () => ({ ended: fail }) });
    const result = await statelessClient(app).result('tools/call', { name: 'add' });
    expect(result).toMatchObject({ content: [{ text: '3' }] });
    expect(logger.lines.map(({ message }) => message)).toEqual(['an observer failed', 'an observer failed']);
  });

  test('that is not active hears nothing, and one that is taken away neither', async () => {
    const app = await appOf({ services: [Desk] });
    const heard: string[] = [];
    const observer = { isActive: false, callStarted: () => void heard.push('call') };
    const stop = app.observe(observer);
    await call(app, 'add');
    expect(heard).toEqual([]);
    observer.isActive = true;
    await call(app, 'add');
    expect(heard).toEqual(['call']);
    stop();
    await call(app, 'add');
    expect(heard).toEqual(['call']);
  });

  test('hears how long a session was open', async () => {
    const app = await appOf({ services: [Desk] });
    const heard: unknown[] = [];
    app.observe({ sessionEnded: (event) => void heard.push(event) });
    await openSession(app, '2025-06-18');
    await app.close();
    expect(heard).toEqual([
      {
        protocolVersion: '2025-06-18',
        transport: 'memory',
        ms: expect.any(Number),
        reason: 'The server is closing',
      },
    ]);
  });
});

describe('an observer that is wrong', () => {
  const revoked = (): never => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy as never;
  };
  const broken = (): never => {
    throw new Error('broken');
  };

  test.each<[string, Observer]>([
    [
      'has an isActive that throws',
      {
        get isActive(): boolean {
          return broken();
        },
      },
    ],
    ['gives what cannot be read', { callStarted: revoked }],
    ['runs nothing', { callStarted: () => ({ run: () => undefined as never }) }],
    ['throws where it runs', { callStarted: () => ({ run: broken }) }],
    ['throws once it has run', { callStarted: () => ({ run: (work) => [work(), broken()][0] as never }) }],
    ['forgets what it has run', { callStarted: () => ({ run: (work) => void work() as never }) }],
    ['runs twice', { callStarted: () => ({ run: (work) => [work(), work()][0] as never }) }],
    ['has a run that is no function', { callStarted: () => ({ run: 5 as never }) }],
  ])('that %s changes nothing', async (_what, observer) => {
    const logger = recordingLogger();
    let runs = 0;
    const count = defineTool({ name: 'count', handle: () => String(++runs) });
    const app = await appOf({ definitions: [count], logger });
    app.observe(observer);
    expect(textOf(await statelessClient(app).call('count'))).toBe('1');
    expect(runs).toBe(1);
    expect(logger.lines.every(({ message }) => message === 'an observer failed')).toBe(true);
  });

  test('leaves what the handler throws as it is', async () => {
    const app = await appOf({ services: [Desk] });
    app.observe({ callStarted: () => ({ run: (work) => work() }) });
    expect(await statelessClient(app).error('tools/call', { name: 'fail' })).toMatchObject({ code: -32050 });
  });
});

describe('what a store is asked', () => {
  test('is told with its part, its operation and how long it took', async () => {
    const backend = memoryBackend();
    const app = await appOf({ services: [Desk], backend, state: { keys: ['k'.repeat(32)] } });
    const heard: StoreEvent[] = [];
    app.observe({ storeAsked: (event) => void heard.push(event) });
    const client = statelessClient(app, { elicitation: {} });
    const { requestState } = await client.result('tools/call', { name: 'ask' });
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    await client.result('tools/call', { name: 'ask', requestState, inputResponses });
    expect(heard).toEqual([{ part: 'states', operation: 'use', ms: expect.any(Number), error: undefined }]);
  });

  test('has what the connections of its backend tell, while anybody watches', async () => {
    const watches: BackendWatch[] = [];
    const backend = { ...memoryBackend(), watch: (given: BackendWatch) => void watches.push(given) };
    const app = await appOf({ services: [Desk], backend, state: { keys: ['k'.repeat(32)] } });
    const [watch, ...more] = watches;
    expect([watch?.isActive, more]).toEqual([false, []]);
    const counter = { name: 'acme.calls', description: 'Calls.', unit: '{call}', isCounter: true };
    watch?.addGauge({ ...counter, read: () => [{ value: 3 }] });
    const heard: StoreEvent[] = [];
    const gauges: Gauge[] = [];
    const stop = app.observe({
      storeAsked: (event) => void heard.push(event),
      gaugeAdded: (gauge) => void gauges.push(gauge),
    });
    expect(watch?.isActive).toBe(true);
    const waited = { part: 'connections', operation: 'wait', ms: 5, error: undefined };
    watch?.storeAsked(waited);
    stop();
    watch?.storeAsked(waited);
    expect([heard, watch?.isActive]).toEqual([[waited], false]);
    expect(gauges.find(({ name }) => name === 'acme.calls')).toMatchObject(counter);
    expect(gauges.find(({ name }) => name === 'sigil.calls.active')).toMatchObject({ isCounter: false });
  });

  test('is told with what it failed with', async () => {
    const full = new Error('full');
    const states = { use: () => Promise.reject(full) };
    const backend = { ...memoryBackend(), states };
    const logger = recordingLogger();
    const app = await appOf({ services: [Desk], backend, logger, state: { keys: ['k'.repeat(32)] } });
    const heard: StoreEvent[] = [];
    app.observe({ storeAsked: (event) => void heard.push(event) });
    const client = statelessClient(app, { elicitation: {} });
    const { requestState } = await client.result('tools/call', { name: 'ask' });
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    await client.error('tools/call', { name: 'ask', requestState, inputResponses });
    expect(heard).toMatchObject([{ part: 'states', operation: 'use', error: full }]);
  });
});

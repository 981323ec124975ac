import { readFileSync } from 'node:fs';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Arg,
  type App,
  type AppOptions,
  createApp,
  type Logger,
  Prompt,
  ProtocolError,
  Resource,
  Service,
  TaskSupport,
  Tool,
  ToolContext,
  ToolError,
} from '@sigil/core';
import { connect, type ConnectOptions } from '@sigil/testing';
import { ATTRIBUTES } from '../src/attributes.js';
import { telemetry, type TelemetryOptions } from '../src/index.js';
import { Recorder, registerApi } from '../../../tests/contract/telemetry-recorder.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const other = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`;
const FORM = { type: 'object', properties: {} };

@Service()
class Desk {
  @Tool()
  add(@Arg('a') a: number, @Arg('b') b: number): number {
    return a + b;
  }

  @Tool()
  refuseModel(): never {
    throw new ToolError('not like this');
  }

  @Tool()
  fail(@Arg('code') code: number): never {
    throw new ProtocolError(code, 'out of order');
  }

  @Tool()
  async ask(context: ToolContext) {
    await context.elicit('Sure?', FORM);
    return 'done';
  }

  @Tool()
  @TaskSupport('required')
  async report(context: ToolContext) {
    await context.elicit('Sure?', FORM);
    return trace.getActiveSpan()?.spanContext().traceId ?? 'none';
  }

  @Tool()
  active() {
    return trace.getActiveSpan()?.spanContext().spanId ?? 'none';
  }

  @Tool()
  crash(): never {
    throw new Error('broken');
  }

  @Prompt()
  recommend(@Arg('category') category: string): string {
    return `Recommend ${category}`;
  }

  @Resource('desk://lamp')
  lamp(): string {
    return 'on';
  }
}

interface Watched {
  readonly app: App;
  readonly recorder: Recorder;
}

async function watched(
  options: TelemetryOptions = {},
  appOptions: Partial<AppOptions> = {},
): Promise<Watched> {
  const app = await createApp({ name: 'desk', version: '1.0.0', services: [Desk], ...appOptions });
  apps.push(app);
  const recorder = new Recorder();
  const { tracerProvider, meterProvider } = recorder;
  telemetry(app, { tracerProvider, meterProvider, ...options });
  return { app, recorder };
}

async function called(
  { app }: Watched,
  name: string,
  args: object = {},
  options: ConnectOptions & { readonly meta?: Record<string, unknown> } = {},
): Promise<void> {
  await using client = await connect(app, options);
  await client.callTool(name, args, options.meta ? { meta: options.meta } : {}).catch(() => undefined);
}

const apps: App[] = [];

beforeAll(registerApi);
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

interface Model {
  readonly attributes: Readonly<Record<string, string>>;
}

test('the table has the levels of the conventions', () => {
  const conventions = JSON.parse(readFileSync(new URL('conventions.json', import.meta.url), 'utf8')) as {
    readonly spans: Record<string, Model>;
    readonly metrics: Record<string, Model>;
  };
  const model = {
    ...conventions.spans,
    ...conventions.metrics,
  };
  const rows = ATTRIBUTES.flatMap(({ name, level, on }) => on.map((signal) => ({ signal, name, level })));
  expect(rows).toEqual(
    rows.map(({ signal, name }) => ({ signal, name, level: model[signal]?.attributes[name] })),
  );
});

describe('the span of a call', () => {
  test('has the name and attributes of the conventions', async () => {
    const desk = await watched();
    await called(desk, 'add', { a: 1, b: 2 });
    const { kind, attributes, status } = desk.recorder.span('tools/call add');
    expect({ kind, status }).toEqual({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET } });
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'add',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'jsonrpc.request.id': expect.any(String),
      'sigil.call.id': expect.stringMatching(/^[\da-f-]{36}$/),
      'sigil.call.outcome': 'ok',
    });
  });

  test.each([-32700, -32600, -32601, -32602, -32002, 403, 429])(
    'is no error for %d, by which the caller is at fault',
    async (code) => {
      const desk = await watched();
      await called(desk, 'fail', { code }, { revision: '2025-11-25' });
      const { attributes, status } = desk.recorder.span('tools/call fail');
      expect(status).toEqual({ code: SpanStatusCode.UNSET });
      expect(attributes).toMatchObject({ 'rpc.response.status_code': String(code) });
      expect(attributes).not.toHaveProperty('error.type');
    },
  );

  test('is an error for other codes, by the message of the answer', async () => {
    const desk = await watched();
    await called(desk, 'fail', { code: -32050 });
    const { attributes, status } = desk.recorder.span('tools/call fail');
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'out of order' });
    expect(attributes).toMatchObject({ 'error.type': '-32050', 'rpc.response.status_code': '-32050' });
  });

  test('is an error where the tool failed', async () => {
    const desk = await watched();
    await called(desk, 'refuse_model');
    const { attributes, status } = desk.recorder.span('tools/call refuse_model');
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(attributes).toMatchObject({ 'error.type': 'tool_error', 'sigil.call.outcome': 'isError' });
  });

  test('names prompts, and resources by their URI where that is wanted', async () => {
    for (const resourceUris of [false, true]) {
      const { app, recorder } = await watched({ resourceUris });
      await using client = await connect(app);
      await client.getPrompt('recommend', { category: 'lamps' });
      await client.readResource('desk://lamp');
      expect(recorder.span('prompts/get recommend').attributes['gen_ai.prompt.name']).toBe('recommend');
      const read = recorder.span(resourceUris ? 'resources/read desk://lamp' : 'resources/read');
      expect(read.attributes['mcp.resource.uri']).toBe('desk://lamp');
      const measured = (await recorder.points('mcp.server.operation.duration')).map(
        ({ attributes }) => attributes,
      );
      expect(measured.some((attributes) => 'mcp.resource.uri' in attributes)).toBe(resourceUris);
    }
  });

  test('does not repeat names and methods that the server does not have', async () => {
    const desk = await watched();
    await called(desk, 'x'.repeat(1000));
    await using client = await connect(desk.app);
    await expect(client.request('tools/nope')).rejects.toThrow();
    expect(desk.recorder.spans.map(({ name }) => name)).toEqual(['tools/call', '_OTHER']);
    const measured = await desk.recorder.points('mcp.server.operation.duration');
    expect(JSON.stringify(measured)).not.toMatch(/xxx|nope/);
  });

  test('has arguments and results by opt-in, as a redactor leaves them', async () => {
    const desk = await watched({ recordInputs: true, recordOutputs: (_result, { name }) => ({ of: name }) });
    await called(desk, 'add', { a: 1, b: 2 });
    const { attributes } = desk.recorder.span('tools/call add');
    expect(attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"a":1,"b":2}',
      'gen_ai.tool.call.result': '{"of":"add"}',
    });
    await using client = await connect(desk.app);
    await client.getPrompt('recommend', { category: 'lamps' });
    expect(desk.recorder.span('prompts/get recommend').attributes['gen_ai.prompt.variable.category']).toBe(
      'lamps',
    );
  });

  test('ends though a redactor throws, without what it was given', async () => {
    const fail = (): never => {
      throw new Error('broken');
    };
    const desk = await watched({ recordInputs: fail }, { logger: recordingLogger([]) });
    await called(desk, 'add', { a: 1, b: 2 });
    expect(desk.recorder.span('tools/call add').attributes).not.toHaveProperty('gen_ai.tool.call.arguments');
  });
});

describe('the trace of a call', () => {
  test('goes on from _meta, and links that of HTTP', async () => {
    const desk = await watched();
    await called(desk, 'add', { a: 1, b: 2 }, { meta: { traceparent }, headers: { traceparent: other } });
    const { parentSpanContext, links } = desk.recorder.span('tools/call add');
    expect(parentSpanContext).toMatchObject({
      traceId: TRACE_ID,
      spanId: '00f067aa0ba902b7',
      isRemote: true,
    });
    expect(links.map(({ context: linked }) => linked.spanId)).toEqual(['b7ad6b7169203331']);
  });

  test.each([undefined, { traceparent: 'nonsense' }, { traceparent: 7 }])(
    'goes on from HTTP where _meta has %j',
    async (meta) => {
      const desk = await watched();
      await called(desk, 'add', { a: 1, b: 2 }, { headers: { traceparent }, ...(meta ? { meta } : {}) });
      const { parentSpanContext, links } = desk.recorder.span('tools/call add');
      expect(parentSpanContext?.traceId).toBe(TRACE_ID);
      expect(links).toEqual([]);
    },
  );

  test('goes on from what is active, rather than from headers', async () => {
    const desk = await watched();
    const outer = desk.recorder.begin('POST /mcp');
    await context.with(trace.setSpan(context.active(), outer), () =>
      called(desk, 'add', { a: 1, b: 2 }, { headers: { traceparent } }),
    );
    expect(desk.recorder.span('tools/call add').parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  test('is active in the handler, and in the log', async () => {
    const lines: Record<string, unknown>[] = [];
    const desk = await watched({}, { logger: recordingLogger(lines) });
    await using client = await connect(desk.app);
    const { content } = await client.callTool('active');
    expect(content).toMatchObject([{ text: desk.recorder.span('tools/call active').spanContext().spanId }]);
    await client.callTool('crash');
    const { traceId } = desk.recorder.span('tools/call crash').spanContext();
    expect(lines).toContainEqual(expect.objectContaining({ traceId }));
  });

  test('has the baggage of the client', async () => {
    let user: string | undefined;
    const desk = await watched(
      {},
      {
        middleware: [
          (_call, next) => {
            user = propagation.getActiveBaggage()?.getEntry('user')?.value;
            return next();
          },
        ],
      },
    );
    await called(desk, 'add', { a: 1, b: 2 }, { meta: { traceparent, baggage: 'user=ada' } });
    expect(user).toBe('ada');
  });
});

describe('a request to a client', () => {
  const asked = async (answer: () => unknown) => {
    const desk = await watched();
    let meta: unknown;
    await called(
      desk,
      'ask',
      {},
      {
        revision: '2025-11-25',
        onElicit: (request: unknown) => {
          meta = request;
          return answer() as { action: 'accept'; content: Record<string, never> };
        },
      },
    );
    return { ...desk, meta };
  };

  test('is a span of its own, within that of the call', async () => {
    const { recorder } = await asked(() => ({ action: 'accept', content: {} }));
    const { kind, attributes, parentSpanContext, status } = recorder.span('elicitation/create');
    expect({ kind, status }).toEqual({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(attributes).toEqual({
      'mcp.method.name': 'elicitation/create',
      'jsonrpc.request.id': expect.any(String),
      'mcp.protocol.version': '2025-11-25',
    });
    expect(parentSpanContext?.spanId).toBe(recorder.span('tools/call ask').spanContext().spanId);
    const [measured] = await recorder.points('mcp.client.operation.duration');
    expect(measured?.attributes).toEqual({
      'mcp.method.name': 'elicitation/create',
      'mcp.protocol.version': '2025-11-25',
    });
  });

  test('has failed where the client refuses it, by its code', async () => {
    const { recorder } = await asked(() => {
      throw new ProtocolError(-32601, 'no forms here');
    });
    const { attributes, status } = recorder.span('elicitation/create');
    expect(attributes).toMatchObject({ 'error.type': '-32601', 'rpc.response.status_code': '-32601' });
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'no forms here' });
  });
});

test('a run of a task is a root, linked to the call that submitted it', async () => {
  const { app, recorder } = await watched();
  await using client = await connect(app, {
    tasks: true,
    onElicit: () => ({ action: 'accept', content: {} }),
  });
  const { content } = await client.callTool('report', {}, { meta: { traceparent } });
  const submission = recorder.span('tools/call report');
  const runs = recorder.spans.filter(({ name }) => name === 'execute_tool report');
  expect(runs.map(({ attributes }) => attributes['sigil.call.outcome'])).toEqual(['suspended', 'ok']);
  for (const { kind, parentSpanContext, links, attributes } of runs) {
    expect({ kind, parentSpanContext }).toEqual({ kind: SpanKind.INTERNAL, parentSpanContext: undefined });
    expect(links.map(({ context: linked }) => linked.spanId)).toEqual([submission.spanContext().spanId]);
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'report',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'sigil.call.id': expect.any(String),
      'sigil.call.outcome': expect.any(String),
      'sigil.task.id': expect.any(String),
      'sigil.task.attempt': 1,
    });
  }
  expect(content).toMatchObject([{ text: runs[1]?.spanContext().traceId }]);
  const [measured] = await recorder.points('sigil.task.run.duration');
  expect(measured?.attributes).toMatchObject({ 'gen_ai.tool.name': 'report' });
  const calls = await recorder.points('mcp.server.operation.duration');
  expect(calls.map(({ attributes }) => attributes['mcp.method.name']).sort()).toContain('tools/call');
});

test('durations have the buckets of the conventions, in seconds', async () => {
  const desk = await watched();
  await called(desk, 'add', { a: 1, b: 2 }, { revision: '2025-11-25' });
  await desk.app.close();
  for (const name of ['mcp.server.operation.duration', 'mcp.server.session.duration']) {
    const [point] = await desk.recorder.points(name);
    expect(point?.value).toMatchObject({
      buckets: { boundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
    });
  }
  const [session] = await desk.recorder.points('mcp.server.session.duration');
  expect(session?.attributes).toEqual({ 'mcp.protocol.version': '2025-11-25' });
});

test('an unknown option is refused', async () => {
  const app = await createApp({ name: 'desk', version: '1.0.0', services: [Desk] });
  expect(() => telemetry(app, { recordInput: true } as TelemetryOptions)).toThrow(/recordInput/);
});

function recordingLogger(lines: Record<string, unknown>[]): Logger {
  const write = (details: unknown, message?: unknown): void =>
    void lines.push({ ...(details as object), message });
  return { debug: write, info: write, warn: write, error: write } as Logger;
}

test('what is not sent yet is sent once the app has closed, and closing waits for it', async () => {
  const seen: string[] = [];
  const shutdown = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    seen.push('sent');
  };
  const app = await createApp({ name: 'ends', version: '1.0.0' });
  telemetry(app, { shutdown });
  await app.close();
  expect(seen).toEqual(['sent']);
  expect(() => telemetry(app, { shutdown: 5 as never })).toThrow('it must be a function');
});

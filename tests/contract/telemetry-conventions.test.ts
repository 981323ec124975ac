import { readFileSync } from 'node:fs';
import type { Attributes } from '@opentelemetry/api';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Arg,
  createApp,
  Prompt,
  ProtocolError,
  Resource,
  Service,
  Tool,
  ToolContext,
  ToolError,
} from '@sigil/core';
import { telemetry, type TelemetryOptions } from '@sigil/otel';
import type { Contestant, ContractClient, Era } from './client.js';
import { overHttp } from './http.js';
import { overStdio } from './stdio.js';
import { Recorder, registerApi } from './telemetry-recorder.js';

type Level = 'required' | 'conditionally_required' | 'recommended' | 'opt_in';

interface Model {
  readonly attributes: Readonly<Record<string, Level>>;
}

interface Conventions {
  readonly spans: Readonly<Record<'mcp.server' | 'mcp.client', Model>>;
  readonly metrics: Readonly<Record<string, Model>>;
}

const file = new URL('../../packages/otel/test/conventions.json', import.meta.url);
const CONVENTIONS = JSON.parse(readFileSync(file, 'utf8')) as Conventions;
const FORM = { type: 'object', properties: {} };

@Service()
class Desk {
  @Tool()
  add(@Arg('a') a: number, @Arg('b') b: number): number {
    return a + b;
  }

  @Tool()
  fail(): never {
    throw new ProtocolError(-32050, 'out of order');
  }

  @Tool()
  refuse(): never {
    throw new ToolError('not like this');
  }

  @Tool()
  async ask(context: ToolContext) {
    await context.elicit('Sure?', FORM);
    return 'done';
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

/** One request, and what of it the conditions of the conventions go by. */
interface Case {
  readonly method: string;
  readonly params?: Record<string, unknown>;
  readonly tool?: string;
  readonly prompt?: string;
  readonly uri?: string;
  /** The code of its JSON-RPC error. */
  readonly code?: string;
  readonly errorType?: string;
}

const tool = (name: string, args: object = {}): Case => ({
  method: 'tools/call',
  params: { name, arguments: args },
  tool: name,
});

const CASES: readonly Case[] = [
  { method: 'tools/list' },
  tool('add', { a: 1, b: 2 }),
  { ...tool('fail'), code: '-32050', errorType: '-32050' },
  { ...tool('refuse'), errorType: 'tool_error' },
  { method: 'tools/call', params: { name: 'nothing' }, code: '-32602' },
  {
    method: 'prompts/get',
    params: { name: 'recommend', arguments: { category: 'lamps' } },
    prompt: 'recommend',
  },
  { method: 'prompts/get', params: { name: 'nothing' }, code: '-32602' },
  { method: 'resources/read', params: { uri: 'desk://lamp' }, uri: 'desk://lamp' },
  { method: 'tools/nothing', code: '-32601' },
];

interface Place {
  readonly era: Era;
  readonly isHttp: boolean;
  readonly optIn: boolean;
}

/** Whether a span has an attribute that is not required, by the condition that the conventions name. */
const CONDITIONS: Readonly<Record<string, (given: Case, place: Place) => boolean>> = {
  'client.address': (_given, { isHttp }) => isHttp,
  'client.port': (_given, { isHttp }) => isHttp,
  'error.type': ({ errorType }) => errorType !== undefined,
  'gen_ai.operation.name': ({ method }) => method === 'tools/call',
  'gen_ai.prompt.name': ({ prompt }) => prompt !== undefined,
  'gen_ai.prompt.variable': ({ prompt }) => prompt !== undefined,
  'gen_ai.tool.call.arguments': ({ tool: named }) => named !== undefined,
  'gen_ai.tool.call.result': ({ tool: named, errorType }) => named !== undefined && errorType === undefined,
  'gen_ai.tool.name': ({ tool: named }) => named !== undefined,
  // The server knows no other version than 2.0.
  'jsonrpc.protocol.version': () => false,
  'jsonrpc.request.id': () => true,
  'mcp.protocol.version': () => true,
  'mcp.resource.uri': ({ uri }) => uri !== undefined,
  'mcp.session.id': (_given, { era, isHttp }) => isHttp && era === 'legacy',
  'network.protocol.name': (_given, { isHttp }) => isHttp,
  'network.protocol.version': (_given, { isHttp }) => isHttp,
  'network.transport': () => true,
  'rpc.response.status_code': ({ code }) => code !== undefined,
  // Clients listen nowhere: requests reach them in answers to theirs.
  'server.address': () => false,
  'server.port': () => false,
};

/** The attributes that the conventions ask for. */
function expected({ attributes }: Model, given: Case, place: Place): string[] {
  return Object.entries(attributes).flatMap(([name, level]) => {
    if (level === 'required') return [name];
    const condition = CONDITIONS[name];
    if (!condition) throw new Error(`the conventions have ${name} now: say when a span has it`);
    if (!condition(given, place) || (level === 'opt_in' && !place.optIn)) return [];
    return [name === 'gen_ai.prompt.variable' ? 'gen_ai.prompt.variable.category' : name];
  });
}

const conventional = (attributes: Attributes): string[] =>
  Object.keys(attributes)
    .filter((name) => !name.startsWith('sigil.'))
    .sort();

const only = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));

const closing: (() => Promise<void>)[] = [];

beforeAll(registerApi);
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Opened {
  readonly recorder: Recorder;
  readonly client: ContractClient;
}

async function opened(contestant: Contestant, options: TelemetryOptions = {}): Promise<Opened> {
  const app = await createApp({ name: 'desk', version: '1.0.0', services: [Desk] });
  const recorder = new Recorder();
  const { tracerProvider, meterProvider } = recorder;
  telemetry(app, { tracerProvider, meterProvider, ...options });
  const client = await contestant.open(app, () => ({ action: 'accept', content: {} }));
  closing.push(() => app.close());
  recorder.clear();
  return { recorder, client };
}

/** Answers a case, and gives its span. */
async function spanOf({ recorder, client }: Opened, { method, params = {} }: Case): Promise<ReadableSpan> {
  recorder.clear();
  await client.start(method, params).response;
  const [span] = recorder.spans;
  if (!span) throw new Error(`${method} has no span`);
  return span;
}

const contestants = [overStdio, overHttp].flatMap((open) => (['legacy', 'modern'] as const).map(open));

describe.each(contestants)('$name', (contestant) => {
  const { era, name } = contestant;
  const isHttp = name.startsWith('http');

  test.each([false, true])(
    'spans of calls have the attributes of the conventions (opt-in: %s)',
    async (optIn) => {
      const place = { era, isHttp, optIn };
      const desk = await opened(contestant, { recordInputs: optIn, recordOutputs: optIn });
      for (const given of CASES) {
        const span = await spanOf(desk, given);
        expect([given, conventional(span.attributes)]).toEqual([
          given,
          expected(CONVENTIONS.spans['mcp.server'], given, place),
        ]);
        expect(span.kind).toBe(SpanKind.SERVER);
        const method = given.code === '-32601' ? '_OTHER' : given.method;
        expect(span.name).toBe([method, given.tool ?? given.prompt].filter(Boolean).join(' '));
        expect(span.attributes).toMatchObject({
          'mcp.method.name': method,
          'network.transport': isHttp ? 'tcp' : 'pipe',
          'mcp.protocol.version': era === 'modern' ? '2026-07-28' : '2025-11-25',
        });
        expect(span.attributes['error.type']).toBe(given.errorType);
        expect(span.attributes['rpc.response.status_code']).toBe(given.code);
      }
    },
  );

  test('durations of calls have them, too', async () => {
    const desk = await opened(contestant);
    const signal = 'mcp.server.operation.duration';
    const model = CONVENTIONS.metrics[signal];
    if (!model) throw new Error(`the conventions have no ${signal}`);
    for (const given of CASES) {
      const { attributes } = await spanOf(desk, given);
      const names = expected(model, given, { era, isHttp, optIn: false });
      const points = await desk.recorder.points(signal);
      expect(points.map((point) => point.attributes)).toContainEqual(only(attributes, names));
      expect(Object.keys(only(attributes, names)).sort()).toEqual(names);
    }
  });
});

describe.each(contestants.filter(({ era }) => era === 'legacy'))('$name, with a session', (contestant) => {
  const place = { era: contestant.era, isHttp: contestant.name.startsWith('http'), optIn: false };

  test('requests to clients have the attributes of the conventions', async () => {
    const { recorder, client } = await opened(contestant);
    await client.start('tools/call', { name: 'ask' }).response;
    const span = recorder.span('elicitation/create');
    const given = { method: 'elicitation/create' };
    expect(span.kind).toBe(SpanKind.CLIENT);
    expect(conventional(span.attributes)).toEqual(expected(CONVENTIONS.spans['mcp.client'], given, place));
    const [point] = await recorder.points('mcp.client.operation.duration');
    const model = CONVENTIONS.metrics['mcp.client.operation.duration'] ?? { attributes: {} };
    expect(conventional(point?.attributes ?? {})).toEqual(expected(model, given, place));
  });

  test('sessions have the attributes of the conventions', async () => {
    const { recorder, client } = await opened(contestant);
    const open = async (): Promise<unknown[]> =>
      (await recorder.points('sigil.sessions.active')).map(({ value }) => value);
    expect(await open()).toEqual(place.isHttp ? [1] : []);
    await client.close();
    expect(await open()).toEqual(place.isHttp ? [0] : []);
    const [point] = await recorder.points('mcp.server.session.duration');
    const model = CONVENTIONS.metrics['mcp.server.session.duration'] ?? { attributes: {} };
    expect(conventional(point?.attributes ?? {})).toEqual(expected(model, { method: 'initialize' }, place));
  });
});

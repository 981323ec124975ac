import { afterEach, expect, test } from '@jest/globals';
import { logs } from '@opentelemetry/api-logs';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { type App, type AuditOptions, type AuditRecord, createApp, defineTool, ToolError } from '@sigil/core';
import { auditHash } from '@sigil/core/internal';
import { connect } from '@sigil/testing';
import { Recorder, registerApi } from '../../../tests/contract/telemetry-recorder.js';
import { auditLogs, telemetry } from '../src/index.js';

registerApi();
const closing: App[] = [];
const KEY = 'a key of at least thirty-two characters';

afterEach(async () => {
  for (const app of closing.splice(0)) await app.close();
});

const pay = defineTool({
  name: 'pay',
  input: { type: 'object', properties: { amount: { type: 'number' } } },
  handle: ({ amount }) => {
    if (Number(amount) > 100) throw new ToolError('too much');
    return 'paid';
  },
});
const hidden = defineTool({ name: 'hidden', guards: [() => false], handle: () => 'never' });

/** An app whose audit goes to the SDK of OpenTelemetry. */
async function audited(options: Partial<AuditOptions> = {}) {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const recorder = new Recorder();
  const app = await createApp({
    name: 'payments',
    version: '1.0.0',
    definitions: [pay, hidden],
    log: { level: 'silent' },
    audit: { sink: auditLogs(provider.getLogger('payments.audit')), ...options },
  });
  closing.push(app);
  telemetry(app, { tracerProvider: recorder.tracerProvider });
  /** Waits for so many records. */
  const emitted = async (count: number) => {
    while (exporter.getFinishedLogRecords().length < count)
      await new Promise((resolve) => setTimeout(resolve, 5));
    return exporter.getFinishedLogRecords();
  };
  return { app, emitted, recorder };
}

test('a record is a log record with its time, its attributes and itself as JSON, in the trace of its call', async () => {
  const { app, emitted, recorder } = await audited();
  await using client = await connect(app, { principal: { id: 'ada' } });
  await client.callTool('pay', { amount: 5 });
  const [log] = await emitted(1);
  const record = JSON.parse(log?.body as string) as AuditRecord;
  expect(record).toMatchObject({ event: 'call.ended', decision: 'allowed', outcome: 'ok', name: 'pay' });
  expect(log).toMatchObject({
    eventName: 'sigil.audit.call.ended',
    severityNumber: 9,
    severityText: 'INFO',
    instrumentationScope: { name: 'payments.audit' },
  });
  expect(log?.attributes).toEqual({
    'sigil.audit.decision': 'allowed',
    'sigil.call.id': record.id,
    'sigil.call.outcome': 'ok',
    'sigil.client': expect.any(String),
    'sigil.audit.arguments_hash': record.argumentsHash,
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'pay',
    'mcp.protocol.version': expect.any(String),
    'jsonrpc.request.id': expect.any(String),
    'enduser.id': 'ada',
  });
  const [seconds = 0, nanoseconds = 0] = log?.hrTime ?? [];
  expect(new Date(seconds * 1000 + nanoseconds / 1e6).toISOString()).toBe(record.time);
  const { traceId, spanId } = recorder.span('tools/call pay').spanContext();
  expect(log?.spanContext).toMatchObject({ traceId, spanId, traceFlags: 1 });
});

test.each([
  ['pay', { amount: 5 }, 'INFO', {}],
  ['pay', { amount: 500 }, 'INFO', { 'sigil.call.outcome': 'isError' }],
  ['hidden', {}, 'WARN', { 'sigil.audit.decision': 'denied', 'sigil.refused_by': 'guard' }],
  ['nope', {}, 'WARN', { 'sigil.audit.decision': 'denied', 'rpc.response.status_code': '-32602' }],
])('a call of %s with %j has the severity %s', async (name, args, severityText, attributes) => {
  const { app, emitted } = await audited();
  await using client = await connect(app);
  await client.callTool(name, args).catch(() => undefined);
  expect((await emitted(1))[0]).toMatchObject({ severityText, attributes });
});

test('the bodies of a chain can be verified', async () => {
  const { app, emitted } = await audited({ chain: { key: KEY } });
  await using client = await connect(app);
  for (const amount of [1, 2]) await client.callTool('pay', { amount });
  const records = (await emitted(2)).map(({ body }) => JSON.parse(body as string) as AuditRecord);
  expect(records.map(({ chain }) => chain?.seq)).toEqual([1, 2]);
  for (const record of records) expect(record.chain?.hash).toBe(await auditHash(record, KEY));
});

test('a call that needs its record runs once the logger has taken it, and not where it throws', async () => {
  const { app, emitted } = await audited({ required: true });
  await using client = await connect(app);
  await client.callTool('pay', { amount: 1 });
  expect((await emitted(2)).map(({ eventName }) => eventName)).toEqual([
    'sigil.audit.call.started',
    'sigil.audit.call.ended',
  ]);
  const emit = (): never => {
    throw new Error('full');
  };
  const refusing = await audited({ required: true, sink: auditLogs({ emit }) });
  await using other = await connect(refusing.app);
  await expect(other.callTool('pay', { amount: 1 })).rejects.toThrow(
    'The audit record cannot be written now;',
  );
});

test('the logger that is registered takes records, and drops them where there is none', async () => {
  const { app } = await audited({ sink: auditLogs(logs.getLogger('payments.audit')), required: true });
  await using client = await connect(app);
  expect(await client.callTool('pay', { amount: 1 })).toBeDefined();
});

test('a task that is given up is an error', () => {
  const emitted: unknown[] = [];
  auditLogs({ emit: (log) => void emitted.push(log) })({
    time: '2026-11-25T09:14:03.512Z',
    event: 'task.failed',
    decision: 'allowed',
    failedBy: 'attempts',
    taskId: 't1',
    method: 'tools/call',
    name: 'report',
    transport: 'http',
    outcome: 'failed',
    code: -32603,
  });
  expect(emitted).toMatchObject([
    {
      eventName: 'sigil.audit.task.failed',
      severityText: 'ERROR',
      attributes: {
        'sigil.task.aborted_by': 'attempts',
        'sigil.task.id': 't1',
        'network.transport': 'tcp',
        'rpc.response.status_code': '-32603',
      },
    },
  ]);
});

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, test } from '@jest/globals';
import { type App, createApp, Service, TaskSupport, Tool, UseGuards } from '@sigil/core';
import { memoryBackend } from '@sigil/core/backend';
import { connect } from '@sigil/testing';
import { Recorder } from '../../../tests/contract/telemetry-recorder.js';
import { telemetry, type TelemetryOptions } from '../src/index.js';

const closing: App[] = [];

afterEach(async () => {
  for (const app of closing.splice(0)) await app.close();
});

async function watched(services: (new () => object)[] = [], options: TelemetryOptions = {}) {
  const app = await createApp({
    name: 'desk',
    version: '1.0.0',
    services,
    backend: memoryBackend(),
    state: { keys: ['x'.repeat(44)] },
  });
  closing.push(app);
  const recorder = new Recorder();
  const { meterProvider } = recorder;
  telemetry(app, { meterProvider, ...options });
  return { app, recorder };
}

test('refused calls are counted by what refused them', async () => {
  @Service()
  class Desk {
    @Tool()
    @UseGuards(() => false)
    hidden(): string {
      return 'never';
    }
  }
  const { app, recorder } = await watched([Desk]);
  await using client = await connect(app);
  await expect(client.callTool('hidden')).rejects.toThrow();
  await expect(client.request('tools/nope')).rejects.toThrow();
  const counted = await recorder.points('sigil.refusals');
  expect(counted.map(({ attributes, value }) => [attributes, value])).toEqual([
    [{ 'sigil.refused_by': 'guard' }, 1],
    [{ 'sigil.refused_by': 'method' }, 1],
  ]);
});

test('requests that a transport refuses are counted with the reason', async () => {
  const { app, recorder } = await watched();
  const event = {
    by: 'origin',
    id: 'r1',
    reason: 'Pages of this Origin are not allowed to call this server',
    status: 403,
    httpMethod: 'POST',
    path: '/mcp',
    address: '192.0.2.7',
    principal: undefined,
  } as const;
  app.endpoint.refused?.(event);
  expect((await recorder.points('sigil.refusals')).map(({ attributes }) => attributes)).toEqual([
    {
      'sigil.refused_by': 'origin',
      'sigil.refusal.reason': 'Pages of this Origin are not allowed to call this server',
      'http.response.status_code': 403,
    },
  ]);
});

test('stores are measured by part and operation, and calls, subscriptions and tasks at work whenever metrics are collected', async () => {
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  @Service()
  class Desk {
    @Tool()
    @TaskSupport('required')
    async report() {
      await gone;
      return 'done';
    }
  }
  const { app, recorder } = await watched([Desk]);
  const valueOf = async (name: string) => (await recorder.points(name)).map(({ value }) => value);
  expect(await valueOf('sigil.tasks.running')).toEqual([0]);
  expect(await valueOf('sigil.tasks.kept')).toEqual([0, 0, 0, 0, 0]);
  await using client = await connect(app, { tasks: true });
  const called = client.callTool('report');
  while ((await valueOf('sigil.tasks.running'))[0] !== 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await valueOf('sigil.calls.active'))[0]).toBeGreaterThan(0);
  go();
  await called;
  expect(await valueOf('sigil.calls.active')).toEqual([0]);
  expect(await valueOf('sigil.subscriptions.active')).toEqual([0]);
  const kept = await recorder.points('sigil.tasks.kept');
  expect(kept.map(({ attributes, value }) => [attributes['sigil.task.status'], value])).toEqual([
    ['working', 0],
    ['input_required', 0],
    ['completed', 1],
    ['cancelled', 0],
    ['failed', 0],
  ]);
  for (const name of ['due', 'oldest_due']) expect(await valueOf(`sigil.tasks.${name}`)).toEqual([0]);
  const stores = await recorder.points('sigil.store.duration');
  expect(stores.map(({ attributes }) => attributes)).toContainEqual({
    'sigil.store.part': 'tasks',
    'sigil.store.operation': 'create',
  });
});

test('runs of tasks are counted by their attempt, and those that are aborted by what did so', async () => {
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (go = resolve));
  @Service()
  class Desk {
    @Tool()
    @TaskSupport('required')
    async report() {
      await gone;
      return 'done';
    }
  }
  const { app, recorder } = await watched([Desk]);
  const counted = async (name: string) =>
    (await recorder.points(name)).map(({ attributes, value }) => [attributes, value]);
  await using client = await connect(app, { tasks: true });
  const called = client.callTool('report');
  const tool = { 'gen_ai.tool.name': 'report' };
  while ((await counted('sigil.task.runs')).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await counted('sigil.task.runs')).toEqual([[{ ...tool, 'sigil.task.attempt': 1 }, 1]]);
  expect(await counted('sigil.task.aborts')).toEqual([]);
  called.catch(() => undefined);
  const closed = app.close();
  go();
  await closed;
  expect(await counted('sigil.task.aborts')).toEqual([
    [{ ...tool, 'sigil.task.aborted_by': 'stop', 'sigil.task.failed': expect.any(Boolean) }, 1],
  ]);
});

test('values of parts that have the same gauge are added, and what is added later is measured, too', async () => {
  const { app, recorder } = await watched();
  const gauge = (value: number) => ({
    name: 'acme.sockets',
    description: 'Sockets.',
    unit: '{socket}',
    read: () => [{ value }, { value, attributes: { kind: 'idle' } }],
  });
  app.endpoint.addGauge?.(gauge(2));
  const end = app.endpoint.addGauge?.(gauge(3));
  const points = async () =>
    (await recorder.points('acme.sockets')).map(({ attributes, value }) => [attributes, value]);
  expect(await points()).toEqual([
    [{}, 5],
    [{ kind: 'idle' }, 5],
  ]);
  end?.();
  expect(await points()).toEqual([
    [{}, 2],
    [{ kind: 'idle' }, 2],
  ]);
});

test('the delay of the event loop is measured where the program gives it', async () => {
  const eventLoopDelay = monitorEventLoopDelay({ resolution: 5 });
  eventLoopDelay.enable();
  const { recorder } = await watched([], { eventLoopDelay });
  await new Promise((resolve) => setTimeout(resolve, 40));
  for (const name of ['p50', 'p99', 'max']) {
    const [point] = await recorder.points(`nodejs.eventloop.delay.${name}`);
    expect(point?.value).toBeGreaterThanOrEqual(0);
  }
  eventLoopDelay.disable();
});

import { describe, expect, jest, test } from '@jest/globals';
import {
  type Backend,
  type ChangeBus,
  memoryBackend,
  MemoryChangeBus,
  OverloadedError,
  ReadOnlyError,
} from '../../src/backend.js';
import type { App, AppOptions } from '../../src/index.js';
import type { ReadinessReport } from '../../src/transport/index.js';
import { appOf, recordingLogger, until } from '../harness.js';

const KEY = 'k'.repeat(32);
const SAME = { keys: 'ok', version: 'ok' };

function node(backend: Backend, options: Partial<AppOptions> = {}): Promise<App> {
  return appOf({ backend, state: { keys: [KEY] }, ...options });
}

const ask = (app: App): Promise<ReadinessReport> => app.endpoint.backend.check();

/** Lets time pass until a check has failed that has no answer. */
async function late(app: App): Promise<ReadinessReport> {
  jest.useFakeTimers();
  try {
    const report = ask(app);
    await jest.advanceTimersByTimeAsync(2_000);
    return await report;
  } finally {
    jest.useRealTimers();
  }
}

describe('whether an app is ready', () => {
  test('is told without checks where nothing is shared', async () => {
    expect(await ask(await appOf({}))).toEqual({ isReady: true, checks: {} });
  });

  test('is told of each part of a backend', async () => {
    expect(await ask(await node(memoryBackend()))).toEqual({
      isReady: true,
      checks: { store: 'ok', bus: 'ok', tasks: 'ok', ...SAME },
    });
  });

  test('is told of parts that are given alone', async () => {
    const { tasks: store } = memoryBackend();
    expect(await ask(await appOf({ tasks: { store } }))).toEqual({ isReady: true, checks: { tasks: 'ok' } });
    expect(await ask(await appOf({ changeBus: new MemoryChangeBus() }))).toEqual({
      isReady: true,
      checks: { bus: 'ok', ...SAME },
    });
  });

  const down = (): never => {
    throw new Error('it is down');
  };
  const never = (): Promise<never> => new Promise(() => undefined);
  const quiet: ChangeBus = { publish: () => undefined, subscribe: () => () => undefined };

  test.each<[string, (backend: Backend) => Backend, boolean, string]>([
    ['store', (backend) => ({ ...backend, check: down }), false, 'it is down'],
    ['store', (backend) => ({ ...backend, check: never }), true, 'It did not answer within 2000 ms'],
    ['bus', (backend) => ({ ...backend, bus: quiet }), true, 'It did not answer within 2000 ms'],
    [
      'bus',
      (backend) => ({ ...backend, bus: { ...quiet, publish: down } }),
      false,
      'The change bus takes no messages',
    ],
    [
      'bus',
      (backend) => ({ ...backend, bus: { ...quiet, subscribe: down } }),
      false,
      'The change bus cannot be heard',
    ],
    [
      'tasks',
      (backend) => ({ ...backend, tasks: Object.create(backend.tasks, { get: { value: down } }) }),
      false,
      'it is down',
    ],
  ])('is no when its %s does not answer, which the log says once', async (part, broken, isLate, why) => {
    const logger = recordingLogger();
    const app = await node(broken(memoryBackend()), { logger });
    for (let turn = 0; turn < 2; turn += 1) {
      const { isReady, checks } = await (isLate ? late(app) : ask(app));
      expect([isReady, checks[part]]).toEqual([false, 'does not answer']);
      expect(Object.values({ ...checks, [part]: 'ok' })).toEqual(Array(5).fill('ok'));
    }
    const lines = logger.lines.filter(({ message }) => message?.startsWith('the server is not ready'));
    expect(lines).toMatchObject([
      {
        level: 'error',
        message: `the server is not ready: the part ${part} does not answer`,
        details: { part },
      },
    ]);
    expect(String(lines[0]?.details['err'])).toContain(why);
  });
});

test.each([
  ['is full', new OverloadedError('The storage is full')],
  ['can only be read', new ReadOnlyError('It is a copy of another one')],
])('an app whose store %s says that, and not that it does not answer', async (why, error) => {
  const logger = recordingLogger();
  const check = () => Promise.reject(error);
  const app = await node({ ...memoryBackend(), check }, { logger });
  expect(await ask(app)).toMatchObject({ isReady: false, checks: { store: why, bus: 'ok', tasks: 'ok' } });
  expect(logger.lines.map(({ message }) => message)).toContain(
    `the server is not ready: the part store ${why}`,
  );
});

describe('processes of one app', () => {
  /** Checks of two processes, and what the first of them logs. */
  async function compare(one: Partial<AppOptions>, other: Partial<AppOptions>) {
    const backend = memoryBackend();
    const logger = recordingLogger();
    const [here, there] = [await node(backend, { logger, ...one }), await node(backend, other)];
    const before = (await ask(there)).checks;
    // What was told is heard a moment later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reports = [await ask(here), await ask(here), await ask(there)];
    return {
      before,
      reports,
      lines: logger.lines,
      nodes: [here, there].map((app) => app.endpoint.backend.node),
    };
  }

  test.each([
    ['the same', { state: { keys: [KEY] } }, { state: { keys: [KEY] } }],
    [
      'those of a rotation',
      { state: { keys: [KEY, 'n'.repeat(32)] } },
      { state: { keys: ['n'.repeat(32), KEY] } },
    ],
  ])('say nothing of keys that are %s', async (_which, one, other) => {
    const { reports, lines } = await compare(one, other);
    for (const { checks } of reports) expect(checks).toMatchObject(SAME);
    expect(lines).toEqual([]);
  });

  test.each([
    ['others', { keys: ['n'.repeat(32)] }],
    ['some that one of them cannot read yet', { keys: ['n'.repeat(32), KEY] }],
  ])('are ready and warn when their keys are %s', async (_which, state) => {
    const { reports, lines, nodes, before } = await compare({}, { state });
    expect(before).toMatchObject(SAME);
    for (const report of reports)
      expect(report).toMatchObject({ isReady: true, checks: { store: 'ok', keys: 'differ', version: 'ok' } });
    expect(lines).toEqual([
      {
        level: 'warn',
        message: "the processes of this app have different state.keys, so they cannot read each other's data",
        details: { nodes: [nodes[1]], node: nodes[0] },
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/k{32}|n{32}/);
  });

  test('are ready and warn while they serve two versions', async () => {
    const { reports, lines } = await compare({ version: '1.0.0' }, { version: '2.0.0' });
    for (const report of reports)
      expect(report).toMatchObject({ isReady: true, checks: { keys: 'ok', version: 'differs' } });
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'other processes serve another version of this app',
        details: { versions: ['2.0.0'], version: '1.0.0' },
      },
    ]);
  });

  test('forget one that is closed', async () => {
    const backend = memoryBackend();
    const [here, there] = [await node(backend), await node(backend, { version: '2.0.0' })];
    await ask(there);
    await until(async () => (await ask(here)).checks['version'] === 'differs');
    await there.close();
    expect((await ask(here)).checks['version']).toBe('ok');
  });

  test('hear nothing of one that is closed and has said nothing of itself', async () => {
    const backend = memoryBackend();
    const heard: unknown[] = [];
    await backend.bus.subscribe((change) => heard.push(change));
    await (await node(backend)).close();
    expect(heard).toEqual([]);
  });

  test('forget one that has not been heard of for two minutes', async () => {
    const backend = memoryBackend();
    let hasDied = false;
    const publish: ChangeBus['publish'] = (change) => (hasDied ? undefined : backend.bus.publish(change));
    const subscribe: ChangeBus['subscribe'] = (receive, name) => backend.bus.subscribe(receive, name);
    const dying = { ...backend, bus: { publish, subscribe } };
    const [here, there] = [await node(backend), await node(dying, { version: '2.0.0' })];
    await ask(there);
    await until(async () => (await ask(here)).checks['version'] === 'differs');
    hasDied = true;
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + 120_100);
    try {
      expect((await ask(here)).checks['version']).toBe('ok');
    } finally {
      clock.mockRestore();
    }
  });
});

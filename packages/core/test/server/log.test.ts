import diagnosticsChannel from 'node:diagnostics_channel';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type CallEvent,
  createApp,
  defineTool,
  type LogOptions,
  ProtocolError,
  ToolError,
} from '../../src/index.js';
import type { Runtime } from '../../src/transport/index.js';
import { appOf, definitionError, type LogLine, recordingLogger, statelessClient } from '../harness.js';

const add = defineTool({ name: 'add', handle: () => 3 });
function failing(name: string, thrown: Error) {
  return defineTool({
    name,
    handle: () => {
      throw thrown;
    },
  });
}
const refuse = failing('refuse', new ToolError('no'));
const wordy = failing('wordy', new ToolError(`first\r\n\u2028 second\u0000${'x'.repeat(300)}`));
const limited = failing('limited', new ProtocolError(-31000, 'The month is closed'));
const broken = failing('broken', new Error('password of the database: hunter2'));
const slow = defineTool({
  name: 'slow',
  handle: () => new Promise<string>((resolve) => setTimeout(() => resolve('late'), 30)),
});

async function linesOf(log: LogOptions, tool = 'add'): Promise<LogLine[]> {
  const logger = recordingLogger();
  const app = await appOf({ definitions: [add, refuse, wordy, limited, broken, slow], logger, log });
  const requestInfo = { headers: { 'x-request-id': 'r1' }, address: '192.0.2.7', principal: { id: 'ada' } };
  await statelessClient(app, {}, { requestInfo }).request('tools/call', { name: tool }, 7);
  return logger.lines;
}

describe('the line of a call', () => {
  test('says who called what, how it ended and how long it took', async () => {
    expect(await linesOf({ calls: 'info' })).toEqual([
      {
        level: 'info',
        message: 'call',
        details: {
          id: 'r1',
          requestId: 7,
          method: 'tools/call',
          name: 'add',
          outcome: 'ok',
          ms: expect.any(Number),
          bytes: expect.any(Number),
          principal: 'ada',
          client: 'tester 0',
          protocolVersion: '2026-07-28',
          transport: 'memory',
          address: '192.0.2.7',
        },
      },
    ]);
  });

  test('is written at the level that is wanted', async () => {
    expect(await linesOf({ calls: 'debug' })).toMatchObject([{ level: 'debug' }]);
    expect(await linesOf({ calls: 'debug', level: 'info' })).toEqual([]);
  });

  test.each([[{}], [{ calls: false }]] as [LogOptions][])('is not there with the options %j', async (log) => {
    expect(await linesOf(log)).toEqual([]);
  });

  test('has the outcome of a tool that fails', async () => {
    expect(await linesOf({ calls: 'info' }, 'refuse')).toMatchObject([{ details: { outcome: 'isError' } }]);
  });

  test.each([
    ['refuse', 'no'],
    ['limited', 'The month is closed'],
    ['add', undefined],
    ['nope', undefined],
  ])('says why the tool %s has failed: %j', async (tool, reason) => {
    const details = (await linesOf({ calls: 'info' }, tool)).at(-1)?.details;
    expect(details).toHaveProperty('reason', reason);
  });

  test('has a reason of one line and 200 characters', async () => {
    const [line] = await linesOf({ calls: 'info' }, 'wordy');
    const { reason } = line?.details as { reason: string };
    expect(reason).toBe(`first second ${'x'.repeat(186)}…`);
    expect(reason).toHaveLength(200);
  });

  test('has no reason that its client is not told', async () => {
    const lines = await linesOf({ calls: 'info' }, 'broken');
    const { reason } = lines.at(-1)?.details as { reason: string };
    expect(reason).toMatch(/./);
    expect(reason).not.toContain('hunter2');
  });

  test('leaves out a reason that is redacted', async () => {
    const lines = await linesOf({ calls: 'info', redact: ['reason'] }, 'refuse');
    expect(lines).toMatchObject([{ details: { reason: '[redacted]' } }]);
  });

  test('has the code of the error of an unknown tool', async () => {
    const lines = await linesOf({ calls: 'info' }, 'nope');
    expect(lines).toMatchObject([
      { details: { outcome: 'refused', refusedBy: 'name', code: -32602, name: 'nope' } },
    ]);
  });

  test('is a warning where the call took long', async () => {
    const [line] = await linesOf({ calls: 'info', slowMs: 10 }, 'slow');
    expect(line).toMatchObject({ level: 'warn', message: 'a call was slow' });
    expect((line?.details as { ms: number }).ms).toBeGreaterThan(10);
  });
});

describe('the log', () => {
  const { LOG_LEVEL } = process.env;
  afterEach(() => {
    if (LOG_LEVEL === undefined) delete process.env['LOG_LEVEL'];
    else process.env['LOG_LEVEL'] = LOG_LEVEL;
  });

  /** What the logger of a runtime gets of one line at each level. */
  async function levels(log: LogOptions | undefined, variable?: string): Promise<string[]> {
    if (variable === undefined) delete process.env['LOG_LEVEL'];
    else process.env['LOG_LEVEL'] = variable;
    const logger = recordingLogger();
    const running = {
      closed: new Promise<void>(() => undefined),
      address: '',
      close: () => Promise.resolve(),
    };
    const runtime: Runtime = { name: 'test', logger, start: () => Promise.resolve(running) };
    const app = await createApp({
      name: 'log',
      version: '1.0.0',
      definitions: [add],
      ...(log ? { log } : {}),
    });
    await app.run(runtime);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) app.logger[level]({}, level);
    await app.close();
    return logger.lines.map(({ message }) => message ?? '');
  }

  test.each<[LogOptions | undefined, string | undefined, string[]]>([
    [undefined, undefined, ['info', 'warn', 'error']],
    [undefined, 'WARN', ['warn', 'error']],
    [undefined, '', ['info', 'warn', 'error']],
    [
      undefined,
      'verbose',
      [
        'the environment variable LOG_LEVEL is ignored: its value must be one of debug, info, warn, error, silent',
        'info',
        'warn',
        'error',
      ],
    ],
    [{ level: 'error' }, 'verbose', ['error']],
    [{ level: 'error' }, 'debug', ['error']],
    [{ level: 'silent' }, undefined, []],
    [{}, 'debug', ['debug', 'info', 'warn', 'error']],
  ])('with the options %j and LOG_LEVEL=%s has the lines %j', async (log, variable, expected) => {
    expect(await levels(log, variable)).toEqual(expected);
  });

  test('has no value of a name that is redacted, at any depth', async () => {
    const logger = recordingLogger();
    const app = await appOf({ definitions: [add], logger, log: { redact: ['Email'] } });
    const user = { email: 'ada@example.com', names: [{ EMAIL: 'b@example.com', first: 'Ada' }] };
    app.logger.info({ user }, 'signed in');
    expect(logger.lines[0]?.details).toEqual({
      user: { email: '[redacted]', names: [{ EMAIL: '[redacted]', first: 'Ada' }] },
    });
  });

  test.each([[['']], [['email', ' ']]])('refuses the names %j to redact', async (redact) => {
    await expect(appOf({ definitions: [add], log: { redact } })).rejects.toThrow('log.redact');
  });

  test('refuses options that mean nothing', async () => {
    const log = { level: 'loud', calls: true, slowMs: 0, redact: 'email', extra: 1 } as never;
    const { message } = await definitionError({ log });
    for (const option of ['level', 'calls', 'slowMs', 'redact', 'extra'])
      expect(message).toContain(`log.${option}`);
  });
});

describe('node:diagnostics_channel', () => {
  test('has the event of each call while it has a subscriber', async () => {
    const app = await appOf({ definitions: [add] });
    const events: CallEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as CallEvent);
    await statelessClient(app).call('add');
    diagnosticsChannel.subscribe('sigil:call', listen);
    await statelessClient(app).call('add');
    diagnosticsChannel.unsubscribe('sigil:call', listen);
    await statelessClient(app).call('add');
    expect(events).toMatchObject([{ method: 'tools/call', name: 'add', outcome: 'ok' }]);
  });
});

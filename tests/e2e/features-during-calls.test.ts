import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEGACY_VERSIONS } from './clients.js';
import { describeFullClients } from './each-full-client.js';
import { until } from './processes.js';

describeFullClients(LEGACY_VERSIONS, ({ client, version, shared, another }) => {
  /** The severities of what one call logs. */
  const levels = async (): Promise<unknown[]> => {
    const { calls, tap } = client();
    const before = tap.of('notifications/message').length;
    await calls.text('test_logging_tool');
    return tap
      .of('notifications/message')
      .slice(before)
      .map(({ level }) => level);
  };

  test('hears what tools log, as far as it asked to [checklist 40]', async () => {
    for (const [level, heard] of [
      ['debug', ['debug', 'info', 'warning']],
      ['info', ['info', 'warning']],
      ['notice', ['warning']],
      ['warning', ['warning']],
      ['error', []],
      ['emergency', []],
      ['debug', ['debug', 'info', 'warning']],
    ] as const) {
      await client().common.setLoggingLevel(level);
      expect({ level, heard: await levels() }).toEqual({ level, heard });
    }
  });

  test('hears text and data as the tool gave them, and from whom', async () => {
    await client().common.setLoggingLevel('debug');
    await client().calls.text('test_logging_tool');
    expect(client().tap.of('notifications/message').slice(-3)).toEqual([
      { level: 'debug', data: 'looking closely' },
      { level: 'info', logger: 'everything', data: { event: 'called', tool: 'test_logging_tool' } },
      { level: 'warning', data: 'nothing is wrong: this is an example of a warning' },
    ]);
  });

  if (shared) {
    test('asks for a level of its own, whatever another session asks for [checklist 40]', async () => {
      const other = await another();
      await client().common.setLoggingLevel('error');
      await other.calls.text('test_logging_tool');
      expect(other.tap.of('notifications/message')).toHaveLength(3);
      expect(await levels()).toEqual([]);
    });
  }

  test('hears of progress in order, all of it before the result [checklist 21]', async () => {
    const { calls, tap } = client();
    const before = tap.received.length;
    const { text, progress } = await calls.withProgress('test_tool_with_progress');
    expect(text).toBe('Tool with progress executed successfully');
    const seen = tap.received.slice(before);
    expect(seen.map(({ method }) => method ?? 'result')).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      'result',
    ]);
    const withMessage = version >= '2025-03-26';
    const [first, ...rest] = seen.slice(0, 3).map(({ params }) => params);
    expect(first).toEqual({
      progressToken: expect.anything(),
      progress: 0,
      total: 100,
      ...(withMessage ? { message: 'Started' } : {}),
    });
    expect(rest).toMatchObject([{ progress: 50 }, { progress: 100 }]);
    expect(progress.slice(0, 2)).toEqual([0, 50]);
  });

  test('hears of no progress that it did not ask for [checklist 41]', async () => {
    const before = client().tap.of('notifications/progress').length;
    await client().calls.text('test_tool_with_progress');
    expect(client().tap.of('notifications/progress')).toHaveLength(before);
  });

  test('cancels a call: the signal of the tool aborts, and no response comes [checklist 48]', async () => {
    const { calls, tap } = client();
    const label = randomUUID();
    const gone = new AbortController();
    const waiting = calls.tool('wait_until_cancelled', { label }, { signal: gone.signal });
    const state = (): Promise<string | undefined> => calls.text('state_of_wait', { label });
    await until(async () => (await state()) === 'waiting');
    gone.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow();
    await until(async () => (await state()) === 'cancelled');
    // One more round trip, so that a response would have had time to come.
    await calls.text('test_simple_text');
    const id = tap.idOf(label);
    expect(id).toBeDefined();
    expect(tap.answersTo(id)).toEqual([]);
  });

  test('cancels one call among several, and the others go on', async () => {
    const { calls } = client();
    const label = randomUUID();
    const gone = new AbortController();
    const cancelled = calls.tool('wait_until_cancelled', { label }, { signal: gone.signal });
    const others = Array.from({ length: 5 }, () => calls.text('test_tool_with_progress'));
    await until(async () => (await calls.text('state_of_wait', { label })) === 'waiting');
    gone.abort(new Error('changed my mind'));
    await expect(cancelled).rejects.toThrow();
    expect(new Set(await Promise.all(others))).toEqual(new Set(['Tool with progress executed successfully']));
  });
});

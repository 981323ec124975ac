import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { streamLogger } from '../src/stream-logger.js';

function entriesOf(write: (logger: ReturnType<typeof streamLogger>) => void): Record<string, unknown>[] {
  const stream = new PassThrough();
  write(streamLogger(stream));
  const text = (stream.read() as Buffer).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('streamLogger', () => {
  test('writes one line of JSON for each entry', () => {
    const entries = entriesOf((logger) => {
      logger.debug('one\ntwo');
      logger.warn({ tool: 'add' }, 'slow');
    });
    expect(entries).toEqual([
      { level: 'debug', time: expect.any(String), message: 'one\ntwo' },
      { level: 'warn', time: expect.any(String), message: 'slow', tool: 'add' },
    ]);
  });

  test('writes errors with stack, cause and what their class added', () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'E1' });
    const [nested, bare] = entriesOf((logger) => {
      logger.error({ error }, 'failed');
      logger.error(error);
    });
    const expected = {
      name: 'Error',
      message: 'outer',
      code: 'E1',
      stack: expect.stringContaining('stream-logger.test'),
      cause: expect.objectContaining({ name: 'TypeError', message: 'inner' }),
    };
    expect(nested).toMatchObject({ level: 'error', message: 'failed', error: expected });
    expect(bare).toMatchObject({ level: 'error', error: expected });
  });

  test('lets no detail hide level, time or message', () => {
    const [entry] = entriesOf((logger) => logger.info({ level: 'x', message: 'y' }, 'z'));
    expect(entry).toMatchObject({ level: 'info', message: 'z' });
  });

  test('survives details that JSON cannot carry', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const entries = entriesOf((logger) => {
      logger.info(circular, 'circular');
      logger.info({ count: 1n }, 'big');
    });
    expect(entries).toMatchObject([
      { message: 'circular', details: expect.stringContaining('Circular') },
      { message: 'big', count: '1' },
    ]);
  });
});

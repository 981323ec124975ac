import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { type LineOptions, streamLogger } from '../src/stream-logger.js';

async function entriesOf(
  write: (logger: ReturnType<typeof streamLogger>) => void,
): Promise<Record<string, unknown>[]> {
  const text = await written({}, write);
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function written(
  options: LineOptions,
  write: (logger: ReturnType<typeof streamLogger>) => void,
): Promise<string> {
  const stream = new PassThrough();
  const logger = streamLogger(stream, options);
  write(logger);
  // Lines wait for others.
  await delay(50);
  return String(stream.read());
}

describe('streamLogger', () => {
  test('writes one line of JSON for each entry', async () => {
    const entries = await entriesOf((logger) => {
      logger.debug('one\ntwo');
      logger.warn({ tool: 'add' }, 'slow');
    });
    expect(entries).toEqual([
      { level: 'debug', time: expect.any(String), message: 'one\ntwo' },
      { level: 'warn', time: expect.any(String), message: 'slow', tool: 'add' },
    ]);
  });

  test('writes errors with stack, cause and what their class added', async () => {
    const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'E1' });
    const [nested, bare] = await entriesOf((logger) => {
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

  test('lets no detail hide level, time or message', async () => {
    const [entry] = await entriesOf((logger) => logger.info({ level: 'x', message: 'y' }, 'z'));
    expect(entry).toMatchObject({ level: 'info', message: 'z' });
  });

  test('survives details that JSON cannot carry', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const entries = await entriesOf((logger) => {
      logger.info(circular, 'circular');
      logger.info({ count: 1n }, 'big');
    });
    expect(entries).toMatchObject([
      { message: 'circular', details: expect.stringContaining('Circular') },
      { message: 'big', count: '1' },
    ]);
  });

  test('says of details that cannot be read that they cannot, and keeps the others', async () => {
    const mute = new Error('mute');
    const fail = (): never => {
      throw new Error('a trap');
    };
    for (const name of ['stack', 'message']) Object.defineProperty(mute, name, { get: fail });
    const entries = await entriesOf((logger) => {
      logger.error({ err: mute, where: 'here' }, 'failed');
      logger.error(mute);
      logger.error(new Proxy({}, { ownKeys: fail, getPrototypeOf: fail, get: fail }), 'a proxy');
    });
    expect(entries).toMatchObject([
      { message: 'failed', details: { err: 'cannot be read', where: "'here'" } },
      { level: 'error', details: {} },
      { message: 'a proxy', details: expect.any(String) },
    ]);
  });
});

describe('what a client has sent', () => {
  test.each(['json', 'text'] as const)('is cut where it is long, in lines of %s', async (format) => {
    const long = `begins ${'x'.repeat(1_000_000)} ends`;
    const err = new Error(long, { cause: new TypeError(long) });
    const lines = await Promise.all([
      written({ format }, (logger) => logger.error({ err, sent: long }, 'failed')),
      written({ format }, (logger) => logger.info({ sent: long }, 'plain')),
      written({ format }, (logger) => logger.info({ list: [long] }, 'nested')),
      written({ format }, (logger) => logger.info({}, long)),
      written({ format }, (logger) => logger.info(long)),
    ]);
    for (const line of lines) {
      expect(line.length).toBeLessThan(60_000);
      expect(line).toContain('begins');
      expect(line).toContain('ends');
      expect(line).toContain(`(${long.length - 8192} characters are left out)`);
    }
    // The frames of a stack are still there.
    expect(lines[0]?.match(/stream-logger\.test/g)?.length).toBeGreaterThanOrEqual(2);
  });

  test('is whole as long as it has no more than 8,192 characters', async () => {
    const sent = 'x'.repeat(8192);
    const [entry] = await entriesOf((logger) => logger.info({ sent, nested: { sent } }, sent));
    expect(entry).toMatchObject({ sent, nested: { sent }, message: sent });
  });

  test.each(['\u202e', '\u2066', '\u200b', '\u2028', '\u009b31m'])(
    'is escaped in JSON where it turns or hides text, and read back as it was: %j',
    async (name) => {
      const line = await written({}, (logger) => logger.info({ name }, name));
      expect(line).not.toMatch(/[\x80-\x9f\u200b\u2028\u202e\u2066]/);
      expect(JSON.parse(line)).toMatchObject({ name, message: name });
      const error = await written({}, (logger) => logger.error({ err: new Error(name) }));
      expect(error).not.toMatch(/[\x80-\x9f\u200b\u2028\u202e\u2066]/);
    },
  );
});

describe('text for people', () => {
  test('has the time, the level, the message and the details', async () => {
    const line = await written({ format: 'text' }, (logger) => logger.warn({ name: 'add', ms: 3.1 }, 'call'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}call name=add ms=3\.1\n$/);
  });

  test('has colours where they are wanted', async () => {
    const line = await written({ format: 'text', colors: true }, (logger) => logger.error('no'));
    expect(line).toContain('\u001b[31mERROR\u001b[39m no');
  });

  test('has the stacks of an error and its causes below', async () => {
    const err = new Error('outer', { cause: new Error('inner') });
    const line = await written({ format: 'text' }, (logger) => logger.error({ err, where: 'A.b' }, 'failed'));
    expect(line).toMatch(
      /ERROR failed where=A\.b\n {2}Error: outer\n {6}at [\s\S]*\n {2}caused by Error: inner\n/,
    );
  });

  test.each(['\u001b[2J', '\r', '\u009b2J', '\u202e', '\u200b', 'a b', '"'])(
    'shows %j of a client as text',
    async (name) => {
      const line = await written({ format: 'text' }, (logger) => logger.info({ name }, name));
      expect(line.slice(0, -1)).not.toMatch(/[\0-\x1f\x7f-\x9f\u200b\u202e]/);
      expect(line.split('\n')).toHaveLength(2);
    },
  );

  test('has no secrets', async () => {
    const line = await written({ format: 'text' }, (logger) => logger.info({ password: 'hunter2' }, 'in'));
    expect(line).toMatch(/password=\[redacted\]/);
  });
});

describe('lines that can wait', () => {
  test('are written together, and before one that cannot', async () => {
    const stream = new PassThrough();
    const pieces: string[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece.toString()));
    const logger = streamLogger(stream);
    logger.info('one');
    logger.debug('two');
    await delay(0);
    expect(pieces).toEqual([]);
    logger.error('three');
    await delay(0);
    expect(pieces.map((piece) => piece.trimEnd().split('\n').length)).toEqual([3]);
    logger.info('four');
    await delay(50);
    expect(pieces).toHaveLength(2);
  });

  test('are written when the program ends', () => {
    const file = fileURLToPath(new URL('../dist/index.js', import.meta.url));
    const program = `import { stderrLogger } from ${JSON.stringify(file)}; stderrLogger().info('last'); process.exit(0);`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, LOG_FORMAT: 'json' },
    });
    expect(stderr).toContain('"message":"last"');
    expect(stderr).not.toContain('LOG_FORMAT');
  });
});

describe('stderrLogger', () => {
  test('warns of a LOG_FORMAT that there is not', () => {
    const file = fileURLToPath(new URL('../dist/index.js', import.meta.url));
    const program = `import { stderrLogger } from ${JSON.stringify(file)}; stderrLogger();`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, LOG_FORMAT: 'xml' },
    });
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'warn',
      LOG_FORMAT: 'xml',
      message: 'the environment variable LOG_FORMAT is ignored: its value must be json or text',
    });
  });
});

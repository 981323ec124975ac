import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { guardStdout } from '../src/stdout-guard.js';

const textOf = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';

describe('guardStdout', () => {
  test('diverts the writes of others and lets its owner through', () => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const guard = guardStdout(stdout, stderr);
    stdout.write('stray\n');
    guard.write('protocol\n', () => undefined);
    expect(textOf(stdout)).toBe('protocol\n');
    expect(textOf(stderr)).toBe('stray\n');
  });

  test('passes encoding and callback on', async () => {
    const stderr = new PassThrough();
    const stdout = new PassThrough();
    guardStdout(stdout, stderr);
    await new Promise<void>((resolve) => stdout.write('c3a9', 'hex', () => resolve()));
    expect(textOf(stderr)).toBe('\u00e9');
  });

  test('diverts what a console writes', () => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const console = new globalThis.console.Console(stdout, stderr);
    guardStdout(stdout, stderr);
    console.log('a');
    console.info('b');
    console.debug('c');
    expect(textOf(stdout)).toBe('');
    expect(textOf(stderr)).toBe('a\nb\nc\n');
  });

  test('gives the stream back', () => {
    const stdout = new PassThrough();
    guardStdout(stdout, new PassThrough()).release();
    expect(Object.hasOwn(stdout, 'write')).toBe(false);
    stdout.write('mine');
    expect(textOf(stdout)).toBe('mine');
  });

  test('leaves a wrapper that came later in place, and lets it through after release', () => {
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const guard = guardStdout(stdout, stderr);
    const guarded = stdout.write.bind(stdout);
    const wrapper = ((text: string) => guarded(`[${text}]`)) as typeof stdout.write;
    stdout.write = wrapper;
    stdout.write('a');
    guard.release();
    expect(stdout.write).toBe(wrapper);
    stdout.write('b');
    expect(textOf(stderr)).toBe('[a]');
    expect(textOf(stdout)).toBe('[b]');
  });
});

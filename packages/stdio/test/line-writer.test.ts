import { setImmediate as turn } from 'node:timers/promises';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { LineWriter } from '../src/line-writer.js';

function listenerOf(events: string[]) {
  return {
    blocked: () => void events.push('blocked'),
    unblocked: () => void events.push('unblocked'),
    gone: (error?: Error) => void events.push(error ? `gone: ${error.message}` : 'gone'),
  };
}

/** A stream that keeps each write and confirms it when told to. */
function slowStream(highWaterMark: number) {
  const writes: string[] = [];
  const confirm: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writes.push(chunk);
      confirm.push(done);
    },
  });
  return { stream, writes, confirmNext: () => confirm.shift()?.() };
}

describe('LineWriter', () => {
  test('writes the lines of one turn in one piece', async () => {
    const { stream, writes, confirmNext } = slowStream(1000);
    const writer = new LineWriter(stream, stream.write.bind(stream), listenerOf([]));
    writer.write('a');
    writer.write('b');
    await Promise.resolve().then(() => writer.write('c'));
    expect(writes).toEqual([]);
    await turn();
    expect(writes).toEqual(['a\nb\nc\n']);
    confirmNext();
    writer.write('d');
    await turn();
    expect(writes).toEqual(['a\nb\nc\n', 'd\n']);
  });

  test('holds lines back while the stream is full', async () => {
    const events: string[] = [];
    const { stream, writes, confirmNext } = slowStream(5);
    const writer = new LineWriter(stream, stream.write.bind(stream), listenerOf(events));
    writer.write('12345');
    await turn();
    expect(events).toEqual(['blocked']);
    writer.write('b');
    await turn();
    writer.write('c');
    await turn();
    expect(writes).toEqual(['12345\n']);
    confirmNext();
    await turn();
    await turn();
    expect(events).toEqual(['blocked', 'unblocked']);
    expect(writes).toEqual(['12345\n', 'b\nc\n']);
  });

  test('settles when the last write is confirmed', async () => {
    const { stream, confirmNext } = slowStream(4);
    const writer = new LineWriter(stream, stream.write.bind(stream), listenerOf([]));
    await writer.settled();
    writer.write('a');
    let settled = false;
    const wait = writer.settled().then(() => {
      settled = true;
    });
    await turn();
    expect(settled).toBe(false);
    confirmNext();
    await wait;
    expect(settled).toBe(true);
  });

  test('reports a stream that fails, once, and takes further lines in silence', async () => {
    const events: string[] = [];
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const writer = new LineWriter(stream, stream.write.bind(stream), listenerOf(events));
    writer.write('a');
    await writer.settled();
    writer.write('b');
    await writer.settled();
    await turn();
    expect(events.filter((event) => event.startsWith('gone'))).toEqual(['gone: EPIPE']);
  });

  test('reports a stream that closes', async () => {
    const events: string[] = [];
    const stream = new PassThrough();
    const writer = new LineWriter(stream, stream.write.bind(stream), listenerOf(events));
    writer.write('a');
    stream.destroy();
    await writer.settled();
    expect(events).toEqual(['gone']);
  });
});

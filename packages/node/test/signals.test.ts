import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { exitAfter, handleSignals, type SignalProcess } from '../src/signals.js';

class FakeProcess extends EventEmitter implements SignalProcess {
  exitCode: number | string | null | undefined = undefined;
  readonly exits: unknown[] = [];
  exit(code?: number): void {
    this.exits.push(code ?? this.exitCode);
  }
}

const exited = async (host: FakeProcess): Promise<void> => {
  while (host.exits.length === 0) await delay(5);
};

const never = (): Promise<void> => new Promise(() => undefined);

describe('handleSignals', () => {
  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ])('shuts down on the first %s with exit code %i', (signal, code) => {
    const host = new FakeProcess();
    const calls: string[] = [];
    handleSignals(host, () => (calls.push('shut down'), never()), 1000);
    host.emit(signal, signal);
    expect(calls).toEqual(['shut down']);
    expect(host.exitCode).toBe(code);
    expect(host.exits).toEqual([]);
  });

  test('exits at once on the second signal', () => {
    const host = new FakeProcess();
    handleSignals(host, never, 1000);
    host.emit('SIGTERM', 'SIGTERM');
    host.emit('SIGINT', 'SIGINT');
    expect(host.exits).toEqual([130]);
  });

  test('exits by force when something else outlives the shutdown', async () => {
    const host = new FakeProcess();
    handleSignals(host, () => Promise.resolve(), 5);
    host.emit('SIGTERM', 'SIGTERM');
    await exited(host);
    expect(host.exits).toEqual([0]);
  });

  test('stops listening when told to', () => {
    const host = new FakeProcess();
    const stop = handleSignals(host, never, 1000);
    stop();
    expect(host.eventNames()).toEqual([]);
  });
});

describe('exitAfter', () => {
  test.each([
    ['done', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('boom'))],
  ])('exits with the code of the process once the closing has %s', async (_, closed) => {
    const host = new FakeProcess();
    host.exitCode = 3;
    exitAfter(host, closed(), 60_000);
    await exited(host);
    expect(host.exits).toEqual([3]);
  });

  test('exits by force when the closing never ends', async () => {
    const host = new FakeProcess();
    exitAfter(host, never(), 5);
    await exited(host);
    expect(host.exits).toEqual([undefined]);
  });
});

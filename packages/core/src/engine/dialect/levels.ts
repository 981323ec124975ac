import type { LogLevel } from '../../protocol/logging.js';

/** A severity as the older dialect knows it: five of them. */
export type OldLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

const READ: ReadonlyMap<unknown, LogLevel> = new Map([
  ['warn', 'warning'],
  ['trace', 'debug'],
]);

const WRITTEN: ReadonlyMap<unknown, OldLevel> = new Map([
  ['notice', 'info'],
  ['warning', 'warn'],
  ['critical', 'error'],
  ['alert', 'error'],
  ['emergency', 'error'],
]);

const TRACES: ReadonlyMap<unknown, LogLevel> = new Map([
  ['off', 'emergency'],
  ['messages', 'info'],
  ['verbose', 'debug'],
]);

/** Reads how much a client wants to be told, as `initialize` says it; `undefined` when it says nothing known. */
export function readTrace(trace: unknown): LogLevel | undefined {
  return TRACES.get(trace);
}

/** Reads a level of the dialect. What is none is left for whoever checks it. */
export function readLevel(level: unknown): unknown {
  return READ.get(level) ?? level;
}

/** Writes a severity of RFC 5424 as the nearest level of the dialect. */
export function writeLevel(level: unknown): unknown {
  return WRITTEN.get(level) ?? level;
}

import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 20;

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Whether anybody takes connections there. */
export function isTaken({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const settle = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/**
 * Waits until somebody takes connections there, or nobody does.
 *
 * @param goesOn asked before each attempt: whether it is still worth waiting.
 * @returns whether it came to that.
 */
export async function untilTaken(address: Address, taken: boolean, goesOn: () => boolean): Promise<boolean> {
  while (goesOn()) {
    if ((await isTaken(address)) === taken) return true;
    await delay(EVERY_MS);
  }
  return false;
}

/** Where a server made with Sigil listens when it is given these arguments; `undefined` on standard streams. */
export function addressFor(args: readonly string[]): Address | undefined {
  if (!args.includes('--http')) return undefined;
  const port = Number(valueAfter(args, '--port') ?? process.env['PORT'] ?? 3000);
  const host = valueAfter(args, '--host') ?? process.env['HOST'] ?? '127.0.0.1';
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return { port, host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host };
}

function valueAfter(args: readonly string[], flag: string): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const found = args[at];
  return found === flag ? args[at + 1] : found?.slice(flag.length + 1);
}

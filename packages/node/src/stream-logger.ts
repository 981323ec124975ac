import type { Writable } from 'node:stream';
import type { Logger } from '@sigil/core';
import type { LogMethod } from '@sigil/core/transport';

// An import would load all that node:util offers, before the first line is written.
const { inspect, types } = process.getBuiltinModule('node:util');

/**
 * A logger that writes each entry as one line of JSON: `level`, `time` (ISO 8601), `message`, then the details.
 * It never throws, whatever the details are.
 *
 * @param stream where the lines go; it is not closed.
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 *
 * const logger = streamLogger(createWriteStream('server.log', { flags: 'a' }));
 * ```
 */
export function streamLogger(stream: Writable): Logger {
  const at =
    (level: keyof Logger): LogMethod =>
    (details: object | string, message?: string) => {
      stream.write(`${formatEntry(level, details, message)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * A logger on standard error, which clients of stdio servers show or keep.
 *
 * @returns the logger, which writes lines of JSON as `streamLogger` does.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', logger: stderrLogger() });
 * ```
 */
export function stderrLogger(): Logger {
  // A parent that closes our standard error must not end the process through it.
  if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
  return streamLogger(process.stderr);
}

function ignore(): void {
  // Log lines that cannot be read are lost.
}

function formatEntry(level: keyof Logger, details: object | string, message: string | undefined): string {
  const fixed = {
    level,
    time: new Date().toISOString(),
    message: typeof details === 'string' ? details : message,
  };
  if (typeof details === 'string') return JSON.stringify(fixed);
  try {
    const named = types.isNativeError(details) ? { error: details } : details;
    // First for their place in the line, last so that no detail of the same name hides them.
    return JSON.stringify(Object.assign({}, fixed, named, fixed), replace);
  } catch {
    return JSON.stringify({ ...fixed, details: inspect(details) });
  }
}

const SECRET =
  /^(?:proxy-)?authorization$|cookie|password|passphrase|secret|(?:api|private|access)[-_]?key|token$|credential/i;

function replace(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && SECRET.test(key)) return '[redacted]';
  if (!types.isNativeError(value)) return value;
  // What its class added may be anything: HTTP clients add the request, with its credentials.
  const { name, message, stack, cause, code }: Error & { code?: unknown } = value;
  return {
    name,
    message,
    stack,
    cause,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}

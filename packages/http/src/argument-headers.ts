import type { MirroredArgument } from '@sigil/core/transport';
import type { HttpExchange } from './http-exchange.js';
import { isFields } from './message.js';
import { decodeHeaderValue } from './standard-headers.js';

/**
 * Holds `Mcp-Param-*` headers against the arguments they repeat (2026-07-28, basic/transports/streamable-http, "Server Behavior
 * for Custom Headers"). Headers that no argument of the tool asks for are nobody's business.
 *
 * @returns what does not agree, or `undefined` when all does.
 */
export function argumentMismatch(
  http: HttpExchange,
  mirrored: readonly MirroredArgument[],
  args: unknown,
): string | undefined {
  for (const argument of mirrored) {
    const mismatch = mismatchOf(argument, http.header(argument.header), valueAt(args, argument.path));
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function mismatchOf(
  { header, path }: MirroredArgument,
  sent: string | undefined,
  value: unknown,
): string | undefined {
  const name = path.join('.');
  if (value === undefined || value === null) {
    return sent === undefined
      ? undefined
      : `the header ${header} repeats the argument ${name}, which is absent`;
  }
  if (sent === undefined) return `the header ${header} is missing, which repeats the argument ${name}`;
  const decoded = decodeHeaderValue(sent);
  if (decoded === undefined) return `the header ${header} is not valid base64`;
  return isSame(decoded, value) ? undefined : `the header ${header} does not repeat the argument ${name}`;
}

function isSame(sent: string, value: unknown): boolean {
  // "42.0" and 42 are the same integer.
  if (typeof value === 'number') return sent !== '' && Number(sent) === value;
  return typeof value === 'boolean' ? sent === `${value}` : sent === value;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

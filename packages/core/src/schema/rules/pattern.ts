import type { JsonSchema } from '../../protocol/json.js';
import { ignoringCase } from './ignore-case.js';

/** A regular expression that finds a text literally. */
export function escapePattern(seed: string): string {
  return seed.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * The `pattern` keyword for what `@Matches` was given, or nothing when it would mean something else to a client:
 * JSON Schema has no flags and compiles patterns with `u`.
 */
export function portablePattern(pattern: unknown, modifiers: unknown): JsonSchema {
  const source = sourceOf(pattern);
  const flags = typeof pattern === 'string' ? textOr(modifiers) : flagsOf(pattern);
  if (source === undefined || /[^dgiu]/.test(flags)) return {};
  const written = flags.includes('i') ? foldedCase(source, flags) : source;
  if (written === undefined) return {};
  try {
    new RegExp(written, 'u');
    return { pattern: written };
  } catch {
    return {};
  }
}

/** Whether that keyword accepts exactly what `@Matches` accepts, with the `u` flag and without it. */
export function isPortable([pattern, modifiers]: readonly unknown[]): boolean {
  return isPlain(sourceOf(pattern) ?? '.') && 'pattern' in portablePattern(pattern, modifiers);
}

/**
 * Whether a source speaks of ASCII characters only, and of none by what it is not: `.`, `[^a]` and `\W` take half of a
 * character beyond U+FFFF without the `u` flag, and all of it with the flag.
 */
function isPlain(source: string): boolean {
  const escapes = source.match(/\\[\s\S]/g) ?? [];
  const rest = source.replace(/\\[\s\S]/g, '');
  if (!escapes.every((escape) => /^\\[dws.*+?^$()[\]{}|/\\-]$/.test(escape))) return false;
  return /^[\x20-\x7E]*$/.test(rest) && !/\.|\[\^|\(\?</.test(rest);
}

/** With the `u` flag `i` folds more than letters of ASCII. */
function foldedCase(source: string, flags: string): string | undefined {
  return isPlain(source) && !flags.includes('u') ? ignoringCase(source) : undefined;
}

function sourceOf(pattern: unknown): string | undefined {
  const source =
    typeof pattern === 'string' ? pattern : (pattern as { source?: unknown } | undefined)?.source;
  return typeof source === 'string' ? source : undefined;
}

function flagsOf(pattern: unknown): string {
  return textOr((pattern as { flags?: unknown } | undefined)?.flags);
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

import type { JsonSchema } from '../../protocol/json.js';

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
  if (source === undefined || /[^gud]/.test(flags)) return {};
  try {
    new RegExp(source, 'u');
    return { pattern: source };
  } catch {
    return {};
  }
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

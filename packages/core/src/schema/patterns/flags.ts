/** What the flags of a pattern mean for the characters it reads. */
export interface PatternFlags {
  /** Those of `RegExp`, as they were given. */
  readonly text: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly sticky: boolean;
  /** Whether it reads code points; code units otherwise. */
  readonly unicode: boolean;
  readonly unicodeSets: boolean;
}

/** Reads the flags of a pattern. */
export function readFlags(text: string): PatternFlags {
  return {
    text,
    ignoreCase: text.includes('i'),
    multiline: text.includes('m'),
    dotAll: text.includes('s'),
    sticky: text.includes('y'),
    unicode: /[uv]/.test(text),
    unicodeSets: text.includes('v'),
  };
}

/** The highest character there is. */
export function lastCharacter({ unicode }: PatternFlags): number {
  return unicode ? 0x10ffff : 0xffff;
}

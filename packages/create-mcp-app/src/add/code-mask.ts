/** A text of TypeScript in which only code is left, and where its strings were. */
export interface CodeMask {
  /** As long as the text: comments are spaces, the insides of strings and regular expressions are `x`. */
  readonly code: string;
  /** Where strings begin and end, quotes included. */
  readonly strings: readonly (readonly [start: number, end: number])[];
}

/** One of each, from where it begins; a template is taken as a whole. */
const PARTS: readonly (readonly [kind: 'comment' | 'string' | 'regex', pattern: RegExp])[] = [
  ['comment', /\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/y],
  ['regex', /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y],
];

/** What a regular expression may follow: after anything else a slash divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+]|\breturn)\s*$/;

/** Finds out what of a text is code. */
export function maskCode(text: string): CodeMask {
  const strings: [number, number][] = [];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const part = partAt(text, at, pieces);
    if (!part) {
      pieces.push(text.charAt(at++));
      continue;
    }
    const { kind, length } = part;
    const inner = text.slice(at, at + length).replace(/[^\n\r]/g, kind === 'comment' ? ' ' : 'x');
    pieces.push(inner);
    if (kind === 'string') strings.push([at, at + length]);
    at += length;
  }
  return { code: pieces.join(''), strings };
}

function partAt(
  text: string,
  at: number,
  before: readonly string[],
): { kind: (typeof PARTS)[number][0]; length: number } | undefined {
  if (!'/\'"`'.includes(text.charAt(at))) return undefined;
  for (const [kind, pattern] of PARTS) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    if (kind === 'regex' && !BEFORE_REGEX.test(before.slice(-40).join(''))) continue;
    return { kind, length: found.length };
  }
  return undefined;
}

/** Shorter texts cannot nest deep enough to take long. */
const SHORT = 64 * 1024;
/** Far deeper than any value that is accepted. */
const MAX_LEVELS = 10_000;

/**
 * Parses JSON that came from a client. What nests in a long text without end is refused before `JSON.parse` sees it, which
 * takes a second for a million levels; RFC 8259, section 9, allows that.
 *
 * @throws SyntaxError when it is no JSON, or nests deeper than 10,000 levels in more than 65,536 characters.
 */
export function parseJson(text: string): unknown {
  if (text.length > SHORT && nestsDeeper(text, MAX_LEVELS)) {
    throw new SyntaxError(`JSON nests deeper than ${MAX_LEVELS} levels`);
  }
  return JSON.parse(text);
}

function nestsDeeper(text: string, most: number): boolean {
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === BRACKET || code === BRACE) {
      if (++levels > most) return true;
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) levels--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Where the string that starts at a quote ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

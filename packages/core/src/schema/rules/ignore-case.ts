const LETTER = /[A-Za-z]/;

/**
 * Rewrites a regular expression so that it ignores case without the `i` flag, which JSON Schema does not have:
 * `[a-f]x` becomes `[a-fA-F][xX]`. Right for sources of ASCII characters only, in which `i` folds nothing else.
 * @param source the source of a regular expression without named groups.
 * @returns undefined for a range with an escaped end, which is not worth following.
 */
export function ignoringCase(source: string): string | undefined {
  let written = '';
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (inClass && /^(?:\\.-[^\]]|[^\\]-\\)/.test(source.slice(at, at + 4))) return undefined;
    if (char === '\\') {
      written += source.slice(at, at + 2);
      at += 1;
    } else if (inClass && /^[^\]]-[^\]]/.test(source.slice(at, at + 3))) {
      const range = source.slice(at, at + 3);
      written += range + otherCase(range);
      at += 2;
    } else if (LETTER.test(char)) {
      written += inClass ? char + swapCase(char) : `[${char}${swapCase(char)}]`;
    } else {
      if (char === '[') inClass = true;
      if (char === ']') inClass = false;
      written += char;
    }
  }
  return written;
}

/** What a range lacks of the other case. */
function otherCase(range: string): string {
  if (/^(?:[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(range)) return swapCase(range);
  let letters = '';
  for (let code = range.charCodeAt(0); code <= range.charCodeAt(2); code += 1) {
    const char = String.fromCharCode(code);
    if (LETTER.test(char)) letters += swapCase(char);
  }
  return letters;
}

function swapCase(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

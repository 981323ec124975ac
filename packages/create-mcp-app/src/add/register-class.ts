import { maskCode, type CodeMask } from './code-mask.js';

/** A class that an app is to serve. */
export interface Registration {
  readonly className: string;
  /** What it is imported from, such as `./tools/get-weather.js`. */
  readonly module: string;
}

/** The text of an app that serves a class too, or why it cannot be changed safely. */
export type RegistrationResult = { readonly text: string } | { readonly problem: string };

/** The line that imports a class. */
export function importLine({ className, module }: Registration, quote = "'", end = ';'): string {
  return `import { ${className} } from ${quote}${module}${quote}${end}`;
}

/**
 * Adds a class to the one `services: [ … ]` of a file, and its import below the others; everything else stays as it is.
 *
 * @param text of the file, in TypeScript.
 */
export function registerClass(text: string, registration: Registration): RegistrationResult {
  const mask = maskCode(text);
  const lists = [...mask.code.matchAll(/\bservices\s*:\s*\[/g)];
  const [list] = lists;
  if (!list) return { problem: 'it has no services: [ … ]' };
  if (lists.length > 1) return { problem: `it has ${lists.length} services: [ … ]` };
  const open = list.index + list[0].length - 1;
  const close = closingBracket(mask.code, open);
  if (close === undefined) return { problem: 'the list of services does not end' };
  const edits = [
    ...elementEdits(text, mask.code, open, close, registration.className),
    importEdit(text, mask, registration),
  ];
  // From the end on, so that no edit moves the place of another; of two at one place the first comes first.
  return {
    text: edits
      .reverse()
      .sort((a, b) => b.at - a.at)
      .reduce(apply, text),
  };
}

/** Whether a file has an identifier of this name. */
export function mentions(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(maskCode(text).code);
}

/** Whether a file imports from a module. */
export function importsFrom(text: string, module: string): boolean {
  return maskCode(text).strings.some(([start, end]) => text.slice(start + 1, end - 1) === module);
}

interface Edit {
  readonly at: number;
  readonly insert: string;
}

function apply(text: string, { at, insert }: Edit): string {
  return text.slice(0, at) + insert + text.slice(at);
}

const CLOSED_BY: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

function closingBracket(code: string, open: number): number | undefined {
  const expected: string[] = [];
  for (let at = open; at < code.length; at++) {
    const letter = code.charAt(at);
    const closer = CLOSED_BY[letter];
    if (closer !== undefined) expected.push(closer);
    else if (!'])}'.includes(letter)) continue;
    else if (expected.pop() !== letter) return undefined;
    else if (expected.length === 0) return at;
  }
  return undefined;
}

function elementEdits(text: string, code: string, open: number, close: number, name: string): Edit[] {
  const inner = code.slice(open + 1, close);
  const last = inner.trimEnd();
  if (last.trim() === '') {
    // What is there then is nothing, or comments, which stay below.
    return [{ at: open + 1, insert: text.slice(open + 1, close).trim() === '' ? name : `${name},` }];
  }
  const at = open + 1 + last.length;
  const hasComma = last.endsWith(',');
  const comma = hasComma ? [] : [{ at, insert: ',' }];
  if (!inner.includes('\n')) return [...comma, { at, insert: hasComma ? ` ${name},` : ` ${name}` }];
  const indent = /^\s*/.exec(last.split('\n').at(-1) ?? '')?.[0] ?? '';
  // A comment behind the last element stays with it.
  const rest = /^[^\r\n]*/.exec(text.slice(at, close))?.[0] ?? '';
  const element = `${lineEnd(text)}${indent}${name}${hasComma ? ',' : ''}`;
  return [...comma, { at: at + rest.trimEnd().length, insert: element }];
}

function importEdit(text: string, { code, strings }: CodeMask, registration: Registration): Edit {
  const last = [...code.matchAll(/^import\b(?!\s*[(.])/gm)].at(-1);
  const source = last && strings.find(([start]) => start > last.index);
  if (!source) return { at: 0, insert: `${importLine(registration)}${lineEnd(text)}` };
  const [start, end] = source;
  const semicolon = code.charAt(end) === ';' ? ';' : '';
  const line = importLine(registration, text.charAt(start), semicolon);
  return { at: end + semicolon.length, insert: `${lineEnd(text)}${line}` };
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

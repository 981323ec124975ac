// The page of `sigil dev` uses this file too.
import { isObject, parseJson } from './json.js';

/**
 * Matches an escape in a string, a quotation mark, or a number. Strings are not matched as a whole, because
 * they may be long.
 */
const TOKEN = /\\.|"|-?[\d.]+(?:e[+-]?\d+)?/gis;

/** Finds the numbers in a JSON text that JavaScript would round. Returns them as they are written in the text. */
export function inexactNumbers(text: string): string[] {
  const found: string[] = [];
  let isInString = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '"') isInString = !isInString;
    else if (!isInString && decimal(token) !== decimal(String(Number(token)))) found.push(token);
  }
  return found;
}

/** Normalises a decimal number, so that equal numbers have equal texts: `1.20` becomes `12e-1`. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:e(.+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end > 0)
    return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
  // Infinity has no digits.
  return whole + fraction === '' ? text : '0';
}

/**
 * Returns an error message about the first number that JavaScript would round in a JSON text; `undefined` if no number
 * would be rounded.
 */
export function inexactProblem(text: string): string | undefined {
  const [first] = inexactNumbers(text);
  return (
    first && `${cut(first)} cannot be an exact JavaScript number: it would become ${String(Number(first))}`
  );
}

/** Parses JSON. @returns `undefined` if the text is not JSON, or if a number would be rounded. */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  return value === undefined || inexactNumbers(text).length > 0 ? undefined : value;
}

const notes = new WeakMap<object, string>();

/**
 * Parses a JSON-RPC message. If JavaScript rounds a number in the message, `roundingNote` returns a note for the
 * `result` of the message.
 */
export function parseMessage(text: string): unknown {
  const message = parseJson(text);
  const found = isObject(message) ? inexactNumbers(text) : [];
  if (found.length === 0) return message;
  const sent = found.slice(0, MOST_SHOWN).map(cut).join(', ');
  const count = found.length === 1 ? '1 number is' : `${found.length} numbers are`;
  const note = `${count} rounded here: the server sent ${sent}${found.length > MOST_SHOWN ? '…' : ''}.`;
  for (let part = message; isObject(part); part = part['result']) notes.set(part, note);
  return message;
}

/** Returns a note about the rounded numbers in a result; `undefined` if there are none. */
export function roundingNote(result: object): string | undefined {
  return notes.get(result);
}

const MOST_SHOWN = 3;

function cut(number: string): string {
  return number.length > 40 ? `${number.slice(0, 40)}…` : number;
}

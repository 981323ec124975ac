import { isObject } from '../json.js';

/** Maximum width of a line. */
const WIDTH = 100;

/** A part of a value that is not a JSON literal but code, such as `expect.anything()`. */
export class Code {
  constructor(readonly text: string) {}
}

/**
 * Returns a JSON value as TypeScript, in the code style of the `create-mcp-app` templates. Strings are escaped.
 *
 * @param indent the number of spaces at the beginning of the line.
 */
export function literalOf(value: unknown, indent = 0): string {
  const short = oneLine(value);
  if (indent + short.length <= WIDTH || !hasMembers(value)) return short;
  const inner = ' '.repeat(indent + 2);
  const parts = Array.isArray(value)
    ? value.map((one) => literalOf(one, indent + 2))
    : Object.entries(value).map(([name, one]) => `${keyOf(name)}: ${literalOf(one, indent + 2)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${' '.repeat(indent)}${close}`;
}

function hasMembers(value: unknown): value is object {
  return !(value instanceof Code) && (Array.isArray(value) || isObject(value));
}

function oneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return textLiteral(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isObject(value)) return Object.is(value, -0) ? '-0' : String(value);
  const members = Object.entries(value).map(([name, one]) => `${keyOf(name)}: ${oneLine(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function keyOf(name: string): string {
  // Written plainly, it would set the prototype.
  if (name === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}

/** Returns a text as a string literal. */
export function textLiteral(text: string): string {
  const quoted = JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]|\p{Cf}/gu, escaped);
  if (text.includes(`'`) && !text.includes('"')) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll(`'`, `\\'`)}'`;
}

function escaped(letter: string): string {
  return [...Array(letter.length).keys()]
    .map((at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

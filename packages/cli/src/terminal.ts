import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters, styleText } from 'node:util';
import widthUpTo from 'fast-string-truncated-width';
import { escapeOf } from './json.js';

/** A style for a line. */
export type Style = 'red' | 'green' | 'yellow' | 'dim';

/** The output of a command, and the streams for questions to the user. */
export interface Terminal {
  /** Writes a result. */
  out(text: string): void;
  /** Writes an error. */
  err(text: string): void;
  /** Whether results can have colours. */
  readonly hasColours: boolean;
  /** The streams for questions to the user, and for the answers; absent if there is no terminal. */
  readonly desk?: { readonly input: Readable; readonly output: Writable };
  /**
   * Opens a screen over the whole terminal; absent if the terminal does not support this.
   *
   * @param pressed a function that is called with each key, such as `q`. A key without a character, such as an arrow
   *   key, is passed as its escape sequence.
   * @param resized a function that is called when the size of the screen changes.
   */
  readonly openScreen?: (pressed: (key: string) => void, resized?: () => void) => Screen;
}

/** The whole terminal, while the screen is open. */
export interface Screen {
  /** The width of the screen, in characters. */
  readonly columns: number;
  /** The height of the screen, in lines. */
  readonly rows: number;
  /** Shows lines in place of the current ones. */
  draw(lines: readonly string[]): void;
  /** Copies a text to the clipboard, if the terminal supports it (OSC 52). */
  copy(text: string): void;
  /** Restores the previous screen. */
  close(): void;
}

/**
 * Creates a terminal for the standard streams. Colours are off if the user has turned them off
 * (https://no-color.org). Control characters other than colours are removed, because texts come from servers.
 *
 * @example
 * ```ts
 * const terminal = standardStreams();
 * terminal.out('No tool has changed');
 * ```
 */
export function standardStreams(): Terminal {
  const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const safe = (text: string): string => (hasColours ? inColouredLines(text) : inLines(text));
  return {
    out: (text) => void process.stdout.write(`${safe(text)}\n`),
    err: (text) => void process.stderr.write(`${safe(text)}\n`),
    hasColours,
    ...(process.stdin.isTTY &&
      process.stderr.isTTY && { desk: { input: process.stdin, output: process.stderr } }),
    ...(process.stdout.isTTY && process.env['TERM'] !== 'dumb' && { openScreen }),
  };
}

/** The alternate screen, without cursor and line wrap: the sequences of xterm and compatible terminals. */
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE_SCREEN = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** One key: a character, or a sequence such as the one of an arrow key. */
const KEY = /\u001b(?:[[O][\d;]*[~A-Za-z])?|./gsu;

function openScreen(pressed: (key: string) => void, resized: () => void = () => undefined): Screen {
  const { stdin, stdout } = process;
  const onData = (data: Buffer): void => {
    for (const [key] of data.toString().matchAll(KEY)) pressed(key);
  };
  stdout.on('resize', resized);
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onData).resume();
  stdout.write(ENTER_SCREEN);
  return {
    get columns() {
      return stdout.columns;
    },
    get rows() {
      return stdout.rows;
    },
    draw(lines) {
      // Each line is erased before it is written: if a line is as wide as the screen, erasing afterwards would remove
      // its last character.
      const written = lines.map((line) => `\u001b[2K${line}`).join('\r\n');
      stdout.write(`\u001b[H${written}${lines.length < stdout.rows ? '\r\n\u001b[J' : ''}`);
    },
    copy: (text) => void stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
    close() {
      stdout.off('resize', resized);
      stdout.write(LEAVE_SCREEN);
      if (stdin.isTTY) stdin.off('data', onData).setRawMode(false).pause();
    },
  };
}

/** Prints the result of a command as JSON if requested, or else as lines. */
export function show(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
  result: unknown,
  lines: () => Iterable<string>,
): void {
  if (json) terminal.out(jsonText(result, 2));
  else for (const line of lines()) terminal.out(line);
}

/** Returns a text in a style; if colours are off, returns the text unchanged. */
export function styled({ hasColours }: Terminal, style: Style, text: string): string {
  return hasColours ? styleText(style, text, { validateStream: false }) : text;
}

/** Formats rows as lines. Every column except the last is as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const padded = (cell: string, column: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padded(cell, column)))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns how many terminal columns a text takes. */
function widthOf(text: string): number {
  return widthUpTo(text).width;
}

/** Cuts off the end of a text that is wider than a number of columns. */
export function cut(text: string, columns: number): string {
  return text.slice(0, widthUpTo(text, { limit: columns, ellipsis: '' }).index);
}

/** Returns the lines of a list, followed by the number of its entries. */
export function withCount(lines: readonly string[], noun: string, hasMore: boolean): string[] {
  const more = hasMore ? ', and there are more: use a higher --limit' : '';
  return [...lines, ...(lines.length > 0 ? [''] : []), `${counted(lines.length, noun)}${more}`];
}

/** Returns a number with its noun, such as `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Control characters other than newline and tab, and characters that reorder text, which can hide a part of a line.
 */
const CONTROLS = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * An escape sequence for a visible colour or weight. Concealed text and background colours are excluded,
 * because they can hide a part of a line.
 */
const COLOUR = /(\u001b\[(?:[0-47]|2[2-7]|3[1-79]|9[0-7])?(?:;(?:[0-47]|2[2-7]|3[1-79]|9[0-7]))*m)/;

/** Removes control characters from a server's text, except line breaks. */
export function inLines(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, '');
}

/** Returns a terminal that writes the same lines without colours. */
export function withoutColours(terminal: Terminal): Terminal {
  return {
    ...terminal,
    hasColours: false,
    out: (text) => terminal.out(stripVTControlCharacters(text)),
    err: (text) => terminal.err(stripVTControlCharacters(text)),
  };
}

/** Removes control characters from a text, except line breaks and colours. Colours end with the text. */
function inColouredLines(text: string): string {
  const parts = text.split(COLOUR);
  // Texts between colours are at even positions.
  const safe = parts.map((part, at) => (at % 2 === 0 ? inLines(part) : part)).join('');
  return parts.length > 1 ? `${safe}\u001b[0m` : safe;
}

/** Returns a text from a client or handler as one line without control characters. */
export function inOneLine(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}

/** Returns a value as JSON, with control characters escaped. */
export function jsonText(value: unknown, indentation = 0): string {
  return JSON.stringify(value, undefined, indentation).replace(CONTROLS, escapeOf);
}

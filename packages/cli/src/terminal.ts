import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/** How a line may look. */
export type Style = 'red' | 'green' | 'yellow' | 'dim';

/** Where a command writes. */
export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** What went wrong. */
  err(text: string): void;
  /** Whether results may have colours. */
  readonly hasColours: boolean;
  /** Where a user can be asked; absent where there is none. */
  readonly desk?: { readonly input: Readable; readonly output: Writable };
  /**
   * Begins to draw over the whole of it; absent where that is not possible.
   *
   * @param pressed called with each key, such as `q`.
   */
  openScreen?(pressed: (key: string) => void): Screen;
}

/** The whole of a terminal, as long as it is open. */
export interface Screen {
  /** How wide it is, in characters. */
  readonly columns: number;
  /** How high it is, in lines. */
  readonly rows: number;
  /** Shows lines in place of those that are there. */
  draw(lines: readonly string[]): void;
  /** Shows what was there before. */
  close(): void;
}

/**
 * The standard streams; colours only for people who have not refused them (https://no-color.org).
 *
 * @example
 * ```ts
 * const terminal = standardStreams();
 * terminal.out('No tool has changed');
 * ```
 */
export function standardStreams(): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    hasColours: process.stdout.isTTY === true && !process.env['NO_COLOR'],
    ...(process.stdin.isTTY &&
      process.stderr.isTTY && { desk: { input: process.stdin, output: process.stderr } }),
    ...(process.stdout.isTTY && process.env['TERM'] !== 'dumb' && { openScreen }),
  };
}

/** Another screen than that of the shell, without cursor, whose long lines are cut: what xterm and all that follow it understand. */
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE_SCREEN = '\u001b[?7h\u001b[?25h\u001b[?1049l';

function openScreen(pressed: (key: string) => void): Screen {
  const { stdin, stdout } = process;
  const onData = (data: Buffer): void => [...data.toString()].forEach(pressed);
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onData).resume();
  stdout.write(ENTER_SCREEN);
  return {
    get columns() {
      return stdout.columns;
    },
    get rows() {
      return stdout.rows;
    },
    draw: (lines) =>
      void stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`),
    close() {
      stdout.write(LEAVE_SCREEN);
      if (stdin.isTTY) stdin.off('data', onData).setRawMode(false).pause();
    },
  };
}

/** Gives the result of a command: as JSON where that is asked for, in lines otherwise. */
export function show(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
  result: unknown,
  lines: () => Iterable<string>,
): void {
  if (json) terminal.out(JSON.stringify(result, undefined, 2));
  else for (const line of lines()) terminal.out(line);
}

/** A text in a style, where there are colours. */
export function styled({ hasColours }: Terminal, style: Style, text: string): string {
  return hasColours ? styleText(style, text, { validateStream: false }) : text;
}

/** Rows as lines, every column but the last as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Lines of a list, and how many entries it has. */
export function withCount(lines: readonly string[], noun: string, hasMore: boolean): string[] {
  const more = hasMore ? ', and there are more: give a higher --limit' : '';
  return [...lines, ...(lines.length > 0 ? [''] : []), `${counted(lines.length, noun)}${more}`];
}

/** A number with its noun, such as `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A text of a server in its lines, without what a terminal would obey. */
export function inLines(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, '');
}

/** What clients and handlers have said, without what a terminal would obey. */
export function inOneLine(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}

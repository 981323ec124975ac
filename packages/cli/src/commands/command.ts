import { parseArgs, type ParseArgsConfig } from 'node:util';
import { messageOf } from '@sigil/core/internal';
import { type ExitCode, UsageError } from '../failures.js';
import { table, type Terminal } from '../terminal.js';

/** A command of `sigil`. */
export interface Command {
  /** How it is called, without `sigil`. */
  readonly synopsis: string;
  /** What it does, in one line. */
  readonly purpose: string;
  /** A call of it, without `sigil`. */
  readonly example: string;
  readonly options: Options;
  /**
   * @param args what follows the name of the command.
   * @throws UsageError when they make no sense.
   */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode> | ExitCode;
}

/** Options by their names, as `parseArgs` of Node takes them, each with what it says and what its value is called. */
type Options = Readonly<
  Record<string, NonNullable<ParseArgsConfig['options']>[string] & { about: string; value?: string }>
>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** Options that every command which starts a server has. */
export const SERVER_OPTIONS = {
  timeout: { type: 'string', value: 'seconds', default: '10', about: 'how long the server may take' },
  json: { type: 'boolean', about: 'the result as JSON' },
} as const;

/** The help of one command. */
export function helpOf({ synopsis, purpose, example, options }: Command): string[] {
  const rows = Object.entries(options).map(([name, { value, about, default: usual }]) => [
    `  --${name}${value === undefined ? '' : ` <${value}>`}`,
    `${about}${typeof usual === 'string' ? `; ${usual} by default` : ''}`,
  ]);
  return [`sigil ${synopsis}`, `  ${purpose}`, '', ...table(rows), '', 'For example', `  sigil ${example}`];
}

/**
 * Reads the arguments of a command.
 *
 * @param operands what the arguments without a dash stand for, each needed.
 * @param optional what further ones stand for.
 * @throws UsageError when there are others.
 */
export function readArguments<O extends Options>(
  args: readonly string[],
  options: O,
  operands: readonly string[],
  optional: readonly string[] = [],
): { readonly values: Parsed<O>['values']; readonly operands: readonly string[] } {
  const { values, positionals } = parse(args, options);
  const missing = operands[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[operands.length + optional.length];
  if (extra !== undefined) throw new UsageError(`'${extra}' is one argument too many`);
  return { values, operands: positionals };
}

/** @throws UsageError when the text is no positive number. */
export function readNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${option} must be a positive number, not '${text}'`);
}

/** @throws UsageError when the text is none of the names of a table. */
export function readChoice<T extends string>(
  option: string,
  text: string,
  table: Readonly<Record<T, unknown>>,
): T {
  if (Object.hasOwn(table, text)) return text as T;
  throw new UsageError(`${option} must be one of ${Object.keys(table).join(', ')}, not '${text}'`);
}

function parse<O extends Options>(args: readonly string[], options: O): Parsed<O> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong; the others are about arguments that begin with a dash.
    const [what = ''] = messageOf(error).replace('argument is ambiguous', 'has no value').split(/\.\s/);
    throw new UsageError(what.charAt(0).toLowerCase() + what.slice(1));
  }
}

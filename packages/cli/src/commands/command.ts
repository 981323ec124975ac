import { parseArgs, type ParseArgsConfig } from 'node:util';
import { MAX_DELAY_MS, messageOf } from '@sigil/core/internal';
import { type ExitCode, UsageError } from '../failures.js';
import { Authorization } from '../login/authorization.js';
import type { AskOptions, ServerAddress } from '../program/program.js';
import { table, type Terminal } from '../terminal.js';

/** A command of `sigil`. */
export interface Command {
  /** The synopsis of the command, without `sigil`. */
  readonly synopsis: string;
  /** The purpose of the command, in one line. */
  readonly purpose: string;
  /** An example call, without `sigil`. */
  readonly example: string;
  readonly options: Options;
  /**
   * @param args the arguments after the name of the command.
   * @throws UsageError when the arguments are wrong.
   */
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode> | ExitCode;
}

/** Options by name, for Node's `parseArgs`. Each has a description, and the placeholder of its value. */
type Options = Readonly<
  Record<string, NonNullable<ParseArgsConfig['options']>[string] & { about: string; value?: string }>
>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** Options of all commands that start a server. */
export const SERVER_OPTIONS = {
  timeout: { type: 'string', value: 'seconds', default: '10', about: 'how long the server may take' },
  json: { type: 'boolean', about: 'the result as JSON' },
} as const;

/** The default output of the compiler for src/main.ts. */
const DEFAULT_MAIN = 'dist/main.js';

/** The option that names the program of a server. */
export const MAIN_OPTION = {
  main: { type: 'string', value: 'main.js', about: 'the program of the server; dist/main.js by default' },
} as const;

/** Returns the program that an argument or an option names. @throws UsageError if both do. */
function givenMain(operand: string | undefined, option: string | undefined): string | undefined {
  if (operand === undefined || option === undefined) return operand ?? option;
  throw new UsageError(`the program is named twice, as ${operand} and with --main`);
}

/**
 * Returns the program that an argument or an option names, otherwise the default program.
 *
 * @throws UsageError if both an argument and an option name a program.
 */
export function mainOf(operand: string | undefined, option: string | undefined): string {
  return givenMain(operand, option) ?? DEFAULT_MAIN;
}

/** Options that name a server by its address instead of its program. */
export const ADDRESS_OPTIONS = {
  url: { type: 'string', value: 'url', about: 'a running server, over HTTP' },
  header: {
    type: 'string',
    value: 'header',
    multiple: true,
    about: "a header to send with each request to the server, such as 'authorization: Bearer …'",
  },
} as const;

/**
 * Splits the arguments of a command at `--`. Depending on the command, the arguments after `--` are passed to a server,
 * or are the command line that starts a server.
 */
export function splitArguments(args: readonly string[]): SplitArguments {
  const at = args.indexOf('--');
  return at < 0 ? { own: args } : { own: args.slice(0, at), server: args.slice(at + 1) };
}

/** The arguments of a command itself, and the arguments after `--`. */
export interface SplitArguments {
  readonly own: readonly string[];
  readonly server?: readonly string[];
}

/** The options that select a server, and how it is asked. */
interface Addressed {
  readonly timeout: string;
  readonly main?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
}

/**
 * Returns the server that the arguments name, and the options for requests to this server. If they name no server, the
 * program `dist/main.js` is used.
 *
 * @throws UsageError if the arguments are invalid, or name a server in two ways, such as a program and `--url`.
 */
export function addressOf(
  operand: string | undefined,
  command: readonly string[] | undefined,
  { timeout, main, url, header = [] }: Addressed,
  terminal: Terminal,
): readonly [ServerAddress, AskOptions] {
  const program = givenMain(operand, main);
  const given = [program, command, url === undefined ? undefined : readUrl('--url', url)].filter(
    (one) => one !== undefined,
  );
  const [server = DEFAULT_MAIN] = given;
  if (Array.isArray(server) && server.length === 0) throw new UsageError('no command follows --');
  if (given.length > 1) throw new UsageError('use only one of <main.js>, --url and -- <command>');
  const headers = Object.fromEntries(
    header.map((text) => {
      const [name = '', ...rest] = text.split(':');
      const value = rest.join(':').trim();
      if (rest.length === 0)
        throw new UsageError(`--header must be a name, a colon and a value, not '${name}'`);
      if (isHeader(name, value)) return [name, value];
      // The value is not shown: it may be a secret.
      throw new UsageError(`--header '${name}: …' has a character that is not allowed in headers`);
    }),
  );
  if (header.length > 0 && url === undefined)
    throw new UsageError('--header only works with --url: a program receives no headers');
  const isOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const warn = (why: string): void => terminal.err(`sigil: ${why}`);
  const authorization = server instanceof URL && !isOwn ? new Authorization(server, warn) : undefined;
  const timeoutMs = readTimeout(timeout);
  return [server, { timeoutMs, headers, ...(authorization && { authorization }) }];
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

/** Parses a URL. @param option the name of the option. @throws UsageError if the text is not an HTTP URL. */
export function readUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The password is not shown, because error messages end up in logs.
  if (url && (url.username !== '' || url.password !== ''))
    throw new UsageError(
      `${option} must not contain a user or a password: use --header 'authorization: Basic …'`,
    );
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${option} must be an HTTP URL, such as http://127.0.0.1:3000/mcp, not '${text.replace(/\/\/.*@/, '//…@')}'`,
  );
}

/**
 * Reads `--timeout`, which is in seconds.
 *
 * @returns the time in milliseconds.
 * @throws UsageError if the time is too long for a timer.
 */
export function readTimeout(text: string): number {
  const seconds = readNumber('--timeout', text);
  const most = Math.floor(MAX_DELAY_MS / 1000);
  if (seconds <= most) return seconds * 1000;
  throw new UsageError(`--timeout must be at most ${most} seconds, not '${text}'`);
}

/** Returns the help for one command. */
export function helpOf({ synopsis, purpose, example, options }: Command): string[] {
  const rows = Object.entries(options).map(([name, { value, about, default: usual }]) => [
    `  --${name}${value === undefined ? '' : ` <${value}>`}`,
    `${about}${typeof usual === 'string' ? `; ${usual} by default` : ''}`,
  ]);
  return [`sigil ${synopsis}`, `  ${purpose}`, '', ...table(rows), '', 'For example', `  sigil ${example}`];
}

/** The placeholder for the program of a server in a synopsis. */
export const MAIN_OPERAND = '<main.js>';

/**
 * Reads the arguments of a command.
 *
 * @param operands the names of the required arguments that are not options.
 * @param optional the names of the optional arguments that are not options; `any` accepts any number of them.
 * @throws UsageError when arguments are missing or unknown.
 */
export function readArguments<O extends Options>(
  args: readonly string[],
  options: O,
  operands: readonly string[],
  optional: readonly string[] | 'any' = [],
): { readonly values: Parsed<O>['values']; readonly operands: readonly string[] } {
  const { values, positionals } = parse(args, options);
  const missing = operands[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = optional === 'any' ? undefined : positionals[operands.length + optional.length];
  if (extra !== undefined) {
    // If the argument is not the program, only the option names it.
    const isProgram = 'main' in options && !optional.includes(MAIN_OPERAND);
    const fix = isProgram ? `: pass the program with --main, for example --main ${DEFAULT_MAIN}` : '';
    throw new UsageError(`'${extra}' is one argument too many${fix}`);
  }
  return { values, operands: positionals };
}

/** Parses a number. @throws UsageError if the text is not a positive number. */
export function readNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${option} must be a positive number, not '${text}'`);
}

/** Parses a port. @throws UsageError if the text is not a port. */
export function readPort(option: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new UsageError(`${option} must be a port, not '${text}'`);
}

/** Parses one of several names. @throws UsageError if the text is not a name in the table. */
export function readChoice<T extends string>(
  option: string,
  text: string,
  table: Readonly<Record<T, unknown>>,
): T {
  if (Object.hasOwn(table, text)) return text as T;
  throw new UsageError(`${option} must be one of ${Object.keys(table).join(', ')}, not '${text}'`);
}

const AMBIGUOUS = 'has no value: write an equals sign before a value that begins with a dash';

function parse<O extends Options>(args: readonly string[], options: O): Parsed<O> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // The first sentence names the fault; the others are about arguments that begin with a dash.
    const [what = ''] = messageOf(error).replace('argument is ambiguous', AMBIGUOUS).split(/\.\s/);
    throw new UsageError(what.charAt(0).toLowerCase() + what.slice(1));
  }
}

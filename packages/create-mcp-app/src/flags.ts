import { parseArgs, type ParseArgsConfig } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { KIND_NAMES } from './add/kinds.js';
import { AUTH_NAMES, UI_NAMES } from './additions.js';
import { Failure, messageOf } from './failures.js';
import { PACKAGE_MANAGER_NAMES } from './package-managers.js';
import { TEMPLATE_NAMES } from './templates.js';

/** A flag on the command line of `create-mcp-app`. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of the value, such as `<name>`; absent for a flag without a value. */
  readonly value?: string;
  /** The purpose of the flag, in a few words. */
  readonly purpose: string;
}

/** The parsed command line: the values of flags by name, and the other arguments. */
export interface Said {
  readonly operands: readonly string[];
  /** Whether a flag that has no value, such as `--force`, was used. */
  has(name: string): boolean;
  /** Returns the value of a flag; `undefined` if the flag was not used. */
  value(name: string): string | undefined;
}

/** Flags that `create-mcp-app` and `create-mcp-app add` have in common. */
const COMMON: readonly Flag[] = [
  {
    name: 'force',
    purpose: 'overwrite files with the same names, but fail at a symbolic link; keep all other files',
  },
  { name: 'dry-run', purpose: 'show what would be written and run, without doing it' },
  { name: 'json', purpose: 'do not ask questions, and print one JSON object' },
  { name: 'help', short: 'h', purpose: 'show this help' },
];

/** The flags of `create-mcp-app`, in the order of `--help`. */
export const CREATE_FLAGS: readonly Flag[] = [
  { name: 'template', value: TEMPLATE_NAMES.join('|'), purpose: 'the template; minimal by default' },
  {
    name: 'auth',
    value: AUTH_NAMES.join('|'),
    purpose:
      'authentication over HTTP (only templates http and full): oauth lets users log in; none by default',
  },
  {
    name: 'ui',
    value: UI_NAMES.join('|'),
    purpose: 'a view (an HTML page for results, MCP Apps), written with this framework; none by default',
  },
  {
    name: 'pm',
    value: PACKAGE_MANAGER_NAMES.join('|'),
    purpose: 'the package manager; by default, the package manager that runs this command, or else npm',
  },
  { name: 'no-install', purpose: 'only write the files, without installing, building or starting anything' },
  { name: 'no-git', purpose: 'make no git repository' },
  { name: 'yes', short: 'y', purpose: 'do not ask questions: use defaults for everything that no flag sets' },
  {
    name: 'local',
    purpose: 'use the packages of the Sigil checkout that contains this command (default in a checkout)',
  },
  ...COMMON,
  { name: 'version', purpose: 'show the version' },
];

/** The flags of `create-mcp-app add`. */
export const ADD_FLAGS: readonly Flag[] = COMMON;

/** The name of the folder that is created if the command line contains no name. */
export const DEFAULT_DIRECTORY = 'my-mcp-server';

/** Returns the lines of `--help`. */
export function usage(): string[] {
  return [
    'Creates a server for the Model Context Protocol: writes the project, installs its packages,',
    'builds it, and calls its first tool.',
    '',
    '  create-mcp-app [directory] [flags]',
    `      the directory is ./${DEFAULT_DIRECTORY} by default; use . for the current directory`,
    `  create-mcp-app add ${KIND_NAMES.join('|')} <name> [flags]`,
    '      adds a class and its test to the project that contains this folder; for a view, it adds a page, too',
    '',
    'Flags:',
    ...CREATE_FLAGS.flatMap(linesOf),
    '',
    `add takes ${ADD_FLAGS.map(({ name }) => `--${name}`).join(', ')}.`,
    'On a terminal, the command asks about everything that no flag sets. It sends no telemetry.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
  ];
}

function linesOf({ name, short, value, purpose }: Flag): string[] {
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  return [`  ${spelling}`, `      ${purpose}`];
}

/**
 * Parses a command line.
 *
 * @throws Failure `USAGE` for an unknown flag, or for a flag whose value is missing or not allowed.
 */
export function readFlags(args: readonly string[], flags: readonly Flag[]): Said {
  const { values, positionals } = parse(args, flags);
  return {
    operands: positionals,
    has: (name) => values[name] === true,
    value: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
  };
}

function parse(args: readonly string[], flags: readonly Flag[]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options: optionsOf(flags), allowPositionals: true });
  } catch (error) {
    throw new Failure('USAGE', complaint(messageOf(error), flags));
  }
}

function optionsOf(flags: readonly Flag[]): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ]),
  );
}

/**
 * Returns a message about an invalid flag. The first sentence of the parser's error names the problem; the
 * others only concern arguments that begin with a dash.
 */
function complaint(message: string, flags: readonly Flag[]): string {
  const unknown = /^Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) {
    const [what = ''] = message.split(/\. |\n/);
    return `${what.charAt(0).toLowerCase()}${what.slice(1)}`;
  }
  const meant = nearest(
    unknown,
    flags.map(({ name }) => `--${name}`),
  );
  return `there is no flag ${unknown}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

/**
 * Checks that a value is one of the known ones, and returns it.
 *
 * @param what the kind of choice, such as `template`.
 * @throws Failure `USAGE` for another value. The message lists the valid values.
 */
export function readChoice<T extends string>(what: string, value: string, known: readonly T[]): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  const meant = nearest(value, known);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new Failure('USAGE', `there is no ${what} '${value}': ${hint}`);
}

/** Returns how many letters of a word may be wrong: a third, but at least one. */
const tolerated = (word: string): number => Math.max(1, Math.floor(word.length / 3));

/** Returns the known word that is most similar to a mistyped word; `undefined` if no word is similar enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const candidate = closest(word, known);
  return distance(word, candidate) <= tolerated(word) ? candidate : undefined;
}

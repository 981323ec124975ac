import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Failure, messageOf } from '../failures.js';
import type { Flag, Said } from './flag.js';
import { nearest } from './nearest.js';

/**
 * Reads a command line.
 *
 * @throws Failure `USAGE` for a flag that is not in the table, or whose value is missing or too much.
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

/** The parser's first sentence says what is wrong; the others are about arguments that begin with a dash. */
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

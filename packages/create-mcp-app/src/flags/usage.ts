import { ADD_FLAGS, CREATE_FLAGS } from './flag-tables.js';
import { DEFAULT_DIRECTORY } from '../project/default-directory.js';
import type { Flag } from './flag.js';

/** What `--help` tells, a line each. */
export function usage(): string[] {
  return [
    'Creates a server for the Model Context Protocol: writes it, installs, builds, and calls its first tool.',
    '',
    '  create-mcp-app [directory] [flags]',
    `      ./${DEFAULT_DIRECTORY} unless a directory is given; . is this one`,
    '  create-mcp-app add tool|resource|prompt|service <name> [flags]',
    '      adds a class and its test to the project that this folder is in',
    '',
    'Flags:',
    ...CREATE_FLAGS.flatMap(linesOf),
    '',
    `add takes ${ADD_FLAGS.map(({ name }) => `--${name}`).join(', ')}.`,
    'Questions are asked on a terminal only, and only about what no flag says. Nothing phones home.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
  ];
}

function linesOf({ name, short, value, purpose }: Flag): string[] {
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  return [`  ${spelling}`, `      ${purpose}`];
}

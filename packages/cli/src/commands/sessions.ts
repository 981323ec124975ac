import type { SessionListing } from '@sigil/core/internal';
import { EXIT_CODES } from '../failures.js';
import { askStore } from '../program/answers.js';
import { inOneLine, table, withCount, show } from '../terminal.js';
import {
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  mainOf,
  readArguments,
  readNumber,
  readTimeout,
  SERVER_OPTIONS,
} from './command.js';

const LS_OPTIONS = {
  limit: { type: 'string', value: 'n', default: '50', about: 'maximum number of entries' },
  ...MAIN_OPTION,
  ...SERVER_OPTIONS,
} as const;

/** `sigil sessions ls`: lists the sessions in the store of a server. */
export const sessionsLs: Command = {
  synopsis: 'sessions ls [<main.js>] [--limit <n>]',
  purpose: 'list the sessions in the store of a server',
  example: 'sessions ls dist/main.js --limit 200',
  options: LS_OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, LS_OPTIONS, [], [MAIN_OPERAND]);
    const limit = readNumber('--limit', values.limit);
    const timeoutMs = readTimeout(values.timeout);
    const listing = await askStore(
      mainOf(operands[0], values.main),
      'sessions',
      'ls',
      { limit },
      { timeoutMs },
    );
    show(terminal, values, listing, () => describeAll(listing));
    return EXIT_CODES.ok;
  },
};

function describeAll({ sessions, hasMore }: SessionListing): string[] {
  const rows = sessions.map(({ id, owner, client, protocolVersion = 'unknown', openedAt, expiresAt }) => {
    const { name = 'unknown', version = '' } = client ?? {};
    const who = inOneLine(owner ?? 'no principal');
    return [
      id,
      who,
      inOneLine(`${name} ${version}`),
      protocolVersion,
      `opened ${openedAt}`,
      `until ${expiresAt}`,
    ];
  });
  return withCount(table(rows), 'session', hasMore);
}

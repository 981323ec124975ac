/*
 * The path of a command line: one of `commands/` reads it and shows its findings. They use `program/` to ask servers,
 * `diff/` to compare manifests and `schema/` their schemas, and `check/` to find faults. `questions/` answers questions
 * of servers, `login/` logs in to them, `dev/` compiles and restarts, and `top/` watches a running server.
 */

import { add } from './commands/add.js';
import { auditVerify } from './commands/audit.js';
import { build } from './commands/build.js';
import { call, get, read } from './commands/call.js';
import { check } from './commands/check.js';
import { type Command, helpOf } from './commands/command.js';
import { list } from './commands/list.js';
import { login, logout } from './commands/login.js';
import { manifest, manifestDiff } from './commands/manifest.js';
import { dev } from './commands/dev.js';
import { sessionsLs } from './commands/sessions.js';
import { tasksCancel, tasksLs, tasksRetry, tasksShow } from './commands/tasks.js';
import { top } from './commands/top.js';
import { why } from './commands/why.js';
import { EXIT_CODES, type ExitCode, ServerError, UsageError } from './failures.js';
import { packageVersion } from './program/connection.js';
import { inLines, jsonText, type Terminal } from './terminal.js';

/** All commands. Longer names come first, because in `manifest diff`, `diff` is not the name of a file. */
const COMMANDS: readonly (readonly [words: readonly string[], command: Command])[] = [
  [['dev'], dev],
  [['add'], add],
  [['build'], build],
  [['manifest', 'diff'], manifestDiff],
  [['manifest'], manifest],
  [['list'], list],
  [['call'], call],
  [['read'], read],
  [['get'], get],
  [['check'], check],
  [['why'], why],
  [['tasks', 'ls'], tasksLs],
  [['tasks', 'show'], tasksShow],
  [['tasks', 'cancel'], tasksCancel],
  [['tasks', 'retry'], tasksRetry],
  [['sessions', 'ls'], sessionsLs],
  [['audit', 'verify'], auditVerify],
  [['top'], top],
  [['login'], login],
  [['logout'], logout],
];

/**
 * Runs the command `sigil`.
 *
 * @param args the arguments of the command, without the program.
 * @param terminal receives results and errors.
 * @returns the exit code: 0 for success, 1 for a problem or a server that fails, 2 for invalid arguments, 130 after an
 *   interruption.
 * @example
 * ```ts
 * process.exitCode = await runSigil(['check', 'dist/main.js'], standardStreams());
 * ```
 */
export async function runSigil(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (args[0] === '--version') {
    terminal.out(packageVersion());
    return EXIT_CODES.ok;
  }
  const found = COMMANDS.find(([names]) => names.every((word, at) => args[at] === word));
  // Arguments after `--` are for a server.
  const [end] = [args.indexOf('--'), args.length].filter((at) => at >= 0);
  const begun = COMMANDS.filter(([[first]]) => first === args[0]);
  const isUnknown = begun.length === 0 && args[0]?.startsWith('-') === false;
  const asksForHelp = args.slice(0, end).some((one) => one === '--help' || one === '-h');
  if ((asksForHelp && !isUnknown) || args.length === 0) {
    for (const line of found ? helpOf(found[1]) : usage(begun.length > 0 ? begun : COMMANDS))
      terminal.out(line);
    return args.length === 0 ? EXIT_CODES.usage : EXIT_CODES.ok;
  }
  try {
    const [words, command] = found ?? unknown(args[0], begun);
    return await command.run(args.slice(words.length), terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      const command = ['sigil', ...(found?.[0] ?? [])].join(' ');
      terminal.err(`sigil: ${inLines(error.message)} (see ${command} --help)`);
      return EXIT_CODES.usage;
    }
    if (!(error instanceof ServerError)) throw error;
    report(error, args.includes('--json'), terminal);
    return EXIT_CODES.found;
  }
}

function report({ message, problems }: ServerError, asJson: boolean, terminal: Terminal): void {
  if (asJson) return terminal.out(jsonText({ error: message, problems }, 2));
  terminal.err(`sigil: ${inLines(message)}`);
  for (const { code, problem, fix } of problems) terminal.err(`  ${problem}\n    Fix: ${fix} [${code}]`);
}

/** Reports an unknown command. @param begun the commands whose names begin with the word. */
function unknown(word: string | undefined, begun: typeof COMMANDS): never {
  const next = begun.flatMap(([[, second]]) => second ?? []);
  if (next.length > 0) throw new UsageError(`${word} must be followed by one of ${next.join(', ')}`);
  throw new UsageError(`there is no command '${word ?? ''}'`);
}

function usage(shown: typeof COMMANDS): string[] {
  const commands = shown.flatMap(([, { synopsis, purpose }]) => [`  sigil ${synopsis}`, `      ${purpose}`]);
  return [
    'Develops, describes, checks, explains and watches MCP servers',
    '',
    ...commands,
    '',
    'sigil <command> --help shows the options of a command, with an example.',
    'Exit codes: 0 success, 1 a problem was found, 2 wrong usage, 130 interrupted.',
  ];
}

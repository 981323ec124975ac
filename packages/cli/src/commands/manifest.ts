import { writeFileSync } from 'node:fs';
import { messageOf } from '@sigil/core/internal';
import { diffManifests } from '../diff/diff-manifests.js';
import { type ManifestChange, CHANGE_LEVELS, type ChangeLevel } from '../diff/diff-members.js';
import { EXIT_CODES, UsageError } from '../failures.js';
import { manifestFrom, manifestOfProgram, manifestText } from '../program/manifest.js';
import { styled, table, type Terminal, show } from '../terminal.js';
import {
  ADDRESS_OPTIONS,
  addressOf,
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  readArguments,
  readTimeout,
  SERVER_OPTIONS,
  splitArguments,
} from './command.js';

const OPTIONS = {
  out: { type: 'string', value: 'file', about: 'the file to write; standard output by default' },
  ...MAIN_OPTION,
  ...ADDRESS_OPTIONS,
  ...SERVER_OPTIONS,
} as const;

/** `sigil manifest`: writes the manifest of a server. */
export const manifest: Command = {
  synopsis: 'manifest [<main.js>|--url <url>|-- <command>] [--out <file>]',
  purpose: 'write the manifest of a server: everything that its clients can see',
  example: 'manifest dist/main.js --out manifest.json',
  options: OPTIONS,
  async run(args, terminal) {
    const { own, server } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, [], [MAIN_OPERAND]);
    const found = await manifestOfProgram(...addressOf(operands[0], server, values, terminal));
    const text = manifestText(found);
    if (values.out === undefined) terminal.out(text.trimEnd());
    else write(values.out, text);
    return EXIT_CODES.ok;
  },
};

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

const STYLES = { breaking: 'red', additive: 'green', wording: 'dim' } as const;

/** `sigil manifest diff`: shows how changes of a manifest affect clients. */
export const manifestDiff: Command = {
  synopsis: 'manifest diff <old.json> <new.json|main.js>',
  purpose: 'show the changes between two manifests, and whether they break clients',
  example: 'manifest diff manifest.json dist/main.js',
  options: SERVER_OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, SERVER_OPTIONS, ['<old.json>', '<new.json>']);
    const timeoutMs = readTimeout(values.timeout);
    const [old = '', present = ''] = operands;
    const before = await manifestFrom(old, { timeoutMs });
    const after = await manifestFrom(present, { timeoutMs });
    const changes = diffManifests(before, after);
    const counts = countLevels(changes);
    show(terminal, values, { counts, changes }, () => describe(changes, counts, terminal));
    return counts.breaking > 0 ? EXIT_CODES.found : EXIT_CODES.ok;
  },
};

function countLevels(changes: readonly ManifestChange[]): Record<ChangeLevel, number> {
  const count = (wanted: ChangeLevel): number => changes.filter(({ level }) => level === wanted).length;
  return { breaking: count('breaking'), additive: count('additive'), wording: count('wording') };
}

function describe(
  changes: readonly ManifestChange[],
  counts: Record<ChangeLevel, number>,
  terminal: Terminal,
): string[] {
  if (changes.length === 0) return ['Nothing has changed'];
  const lines = table(changes.map(({ level, where, path, what }) => [level, where, path, what]));
  const rows = lines.map((line, index) => styled(terminal, STYLES[changes[index]?.level ?? 'wording'], line));
  return [...rows, '', CHANGE_LEVELS.map((level) => `${counts[level]} ${level}`).join(', ')];
}

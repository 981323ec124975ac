import { contractFrom } from '../contract-from.js';
import { type Change, CHANGE_LEVELS, type ChangeLevel } from '../diff/change.js';
import { diffContracts } from '../diff/diff-contracts.js';
import { EXIT_CODES } from '../exit-codes.js';
import { table } from '../table.js';
import { styled, type Terminal } from '../terminal.js';
import { readArguments, readNumber, SERVER_OPTIONS } from './arguments.js';
import type { Command } from './command.js';

const OPTIONS = { json: { type: 'boolean' }, ...SERVER_OPTIONS } as const;
const STYLES = { breaking: 'red', additive: 'green', wording: 'dim' } as const;

/** `sigil contract diff`: tells what a change of a contract does to clients. */
export const contractDiff: Command = {
  synopsis: 'contract diff <old.json> <new.json|main.js>',
  purpose: 'tell what changed, and whether it breaks clients',
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, ['<old.json>', '<new.json>']);
    const timeoutMs = readNumber('--timeout', values.timeout) * 1000;
    const [old = '', present = ''] = operands;
    const before = await contractFrom(old, { timeoutMs });
    const after = await contractFrom(present, { timeoutMs });
    const changes = diffContracts(before, after);
    const counts = countLevels(changes);
    if (values.json) terminal.out(JSON.stringify({ counts, changes }, undefined, 2));
    else for (const line of describe(changes, counts, terminal)) terminal.out(line);
    return counts.breaking > 0 ? EXIT_CODES.found : EXIT_CODES.ok;
  },
};

function countLevels(changes: readonly Change[]): Record<ChangeLevel, number> {
  const count = (wanted: ChangeLevel): number => changes.filter(({ level }) => level === wanted).length;
  return { breaking: count('breaking'), additive: count('additive'), wording: count('wording') };
}

function describe(
  changes: readonly Change[],
  counts: Record<ChangeLevel, number>,
  terminal: Terminal,
): string[] {
  if (changes.length === 0) return ['Nothing has changed'];
  const lines = table(changes.map(({ level, where, path, what }) => [level, where, path, what]));
  const rows = lines.map((line, index) => styled(terminal, STYLES[changes[index]?.level ?? 'wording'], line));
  return [...rows, '', CHANGE_LEVELS.map((level) => `${counts[level]} ${level}`).join(', ')];
}

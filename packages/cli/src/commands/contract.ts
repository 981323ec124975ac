import { writeFileSync } from 'node:fs';
import { contractText } from '../contract-format.js';
import { EXIT_CODES } from '../exit-codes.js';
import { UsageError } from '../failures.js';
import { contractOf } from '../program/contract-of.js';
import { readArguments, readNumber, SERVER_OPTIONS } from './arguments.js';
import type { Command } from './command.js';

const OPTIONS = { out: { type: 'string' }, json: { type: 'boolean' }, ...SERVER_OPTIONS } as const;

/** `sigil contract`: writes down what a server promises. */
export const contract: Command = {
  synopsis: 'contract <main.js> [--out <file>]',
  purpose: 'write what a server promises to its clients',
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, ['<main.js>']);
    const timeoutMs = readNumber('--timeout', values.timeout) * 1000;
    const found = await contractOf(operands[0] ?? '', { timeoutMs });
    const text = contractText(found);
    if (values.out === undefined) terminal.out(text.trimEnd());
    else write(values.out, text);
    return EXIT_CODES.ok;
  },
};

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(
      `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

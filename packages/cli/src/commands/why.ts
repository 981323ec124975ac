import type { Explanation, Principal } from '@sigil/core';
import { EXIT_CODES } from '../exit-codes.js';
import { UsageError } from '../failures.js';
import { explanationOf } from '../program/explanation-of.js';
import { readArguments, readNumber, SERVER_OPTIONS } from './arguments.js';
import type { Command } from './command.js';

const OPTIONS = {
  main: { type: 'string' },
  as: { type: 'string' },
  scope: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  ...SERVER_OPTIONS,
} as const;

/** `sigil why`: tells why something of a server is not seen. */
export const why: Command = {
  synopsis: 'why <tool> --main <main.js> [--as <principal> [--scope <scope>]…]',
  purpose: 'tell why somebody does not see a tool, prompt or resource',
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, ['<tool>']);
    if (values.main === undefined) throw new UsageError('--main <main.js> is missing');
    const timeoutMs = readNumber('--timeout', values.timeout) * 1000;
    const principal = principalOf(values.as, values.scope);
    const explanation = await explanationOf(values.main, operands[0] ?? '', principal, { timeoutMs });
    const isSeen = explanation.kind !== undefined && explanation.refusedBy === undefined;
    if (values.json) terminal.out(JSON.stringify(explanation, undefined, 2));
    else for (const line of describe(explanation, values.as)) terminal.out(line);
    return isSeen && !explanation.hiddenFromSessions ? EXIT_CODES.ok : EXIT_CODES.found;
  },
};

function principalOf(id: string | undefined, scopes: readonly string[] | undefined): Principal | undefined {
  if (id !== undefined) return { id, ...(scopes ? { scopes } : {}) };
  if (scopes) throw new UsageError('--scope belongs to a principal: give --as <principal> too');
  return undefined;
}

function describe(explanation: Explanation, id: string | undefined): string[] {
  const { name, kind, where, nearest, hiddenFromSessions, guards, refusedBy } = explanation;
  if (kind === undefined) {
    const near = nearest.length === 0 ? 'nothing has a similar name' : `did you mean ${nearest.join(', ')}?`;
    return [`${name} is not registered: ${near}`];
  }
  const who = id ?? 'a client without a principal';
  const lines = [`${name} is a ${kind}, defined by ${where ?? 'nobody'}`];
  if (hiddenFromSessions) {
    lines.push('It must run as a task, so clients with sessions (up to 2025-11-25) never see it');
  }
  if (guards.length > 0) lines.push(`Guarded by ${guards.join(', ')}`);
  lines.push(
    refusedBy === undefined ? `Nothing hides it from ${who}` : `Hidden from ${who} by the guard ${refusedBy}`,
  );
  return lines;
}

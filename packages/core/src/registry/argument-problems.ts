import type { Problem } from '../errors/definition-error.js';
import type { ToolDefinition } from '../metadata/definitions.js';

const POLICIES: readonly unknown[] = ['reject', 'strip', 'keep'];

/** Whether a value says what becomes of undeclared arguments. */
export function isUnknownProperties(value: unknown): boolean {
  return POLICIES.includes(value);
}

/** What is wrong with how a tool says that it treats arguments. */
export function argumentProblems({ unknownProperties }: ToolDefinition, where: string): Problem[] {
  if (unknownProperties === undefined || isUnknownProperties(unknownProperties)) return [];
  return [
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where: `${where}, unknownProperties`,
      what: `it must be 'reject', 'strip' or 'keep'`,
      fix: 'say which, or leave it out to have undeclared arguments rejected',
    },
  ];
}

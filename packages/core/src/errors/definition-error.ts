import type { DefinitionCode } from './codes.js';

/** One mistake in the author's code: where it is, what is wrong, and how to mend it. */
export interface Problem {
  readonly code: DefinitionCode;
  /** The place in the author's words, such as `Inventory.checkInventory, parameter 1`. */
  readonly where: string;
  readonly what: string;
  readonly fix: string;
}

/** Thrown at boot when the author's definitions cannot be served. Never crosses the wire. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly code: DefinitionCode;
  /** Not enumerable: the message has all of it, and Node prints the enumerable members of an uncaught error too. */
  declare readonly problems: readonly Problem[];

  /** @param problems every mistake found, at least one. */
  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(report(problems), options);
    Object.defineProperty(this, 'problems', { value: problems });
    this.code = problems.length === 1 && problems[0] ? problems[0].code : 'SIGIL_INVALID_DEFINITIONS';
  }
}

function report(problems: readonly Problem[]): string {
  const lines = problems.map(
    ({ code, where, what, fix }, index) => `  ${index + 1}. ${where}: ${what}\n     Fix: ${fix} [${code}]`,
  );
  const count = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
  return `${count} with the definitions of this server:\n${lines.join('\n')}`;
}

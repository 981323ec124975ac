import { type DefinitionCode, DefinitionError, type DefinitionProblem } from './errors.js';

/**
 * Collects everything that is wrong with what an author wrote. It knows the place it looks at; what is found at any place below it
 * goes to the same list, in the order it is found, and is thrown once.
 *
 * @example
 * const diagnostics = new Diagnostics();
 * diagnostics.at('Inventory.check').at('parameter 1').add('SIGIL_ERASED_TYPE', 'its type is gone', 'import the class');
 * diagnostics.throwIfAny();
 */
export class Diagnostics {
  /**
   * @param where the place in the author's words; empty for the app as a whole.
   * @param problems receives what is found.
   */
  constructor(
    readonly where: string = '',
    readonly problems: DefinitionProblem[] = [],
  ) {}

  /** The same list, for a place within this one. */
  at(place: string): Diagnostics {
    return new Diagnostics(this.where === '' ? place : `${this.where}, ${place}`, this.problems);
  }

  /** Adds a mistake at this place. */
  add(code: DefinitionCode, what: string, fix: string): void {
    this.problems.push({ code, where: this.where, what, fix });
  }

  /** Adds what others found. */
  report(problems: readonly DefinitionProblem[]): void {
    this.problems.push(...problems);
  }

  /** @throws DefinitionError with everything that was found, if anything was. */
  throwIfAny(): void {
    if (this.problems.length > 0) throw new DefinitionError(this.problems);
  }
}

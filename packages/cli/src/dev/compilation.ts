import { stripVTControlCharacters } from 'node:util';

/** How `tsc --watch` begins a compilation. */
const BEGINS = /\bStarting (incremental )?compilation\b/;
/** How it ends one. */
const ENDS = /\bFound \d+ errors?\. Watching\b/;
/** How it sums up its errors for a terminal, before it ends. */
const SUM = /^Found \d+ errors?\b/;
/** The first line of an error. */
const ERROR = /\berror TS\d+: /;

/** The compilation that a compiler tells of, line by line. Compilers that do not write as `tsc` does tell nothing. */
export class Compilation {
  isCompiling = false;
  /** The errors of the last compilation that has ended, each with all its lines. */
  problems: readonly string[] = [];
  #found: string[] = [];

  /** Takes a line of the compiler. @returns whether it begins or ends a compilation. */
  read(line: string): boolean {
    const text = stripVTControlCharacters(line).trimEnd();
    if (BEGINS.test(text)) {
      this.isCompiling = true;
      this.#found = [];
      return true;
    }
    if (ENDS.test(text)) {
      this.isCompiling = false;
      this.problems = this.#found.map((problem) => problem.trimEnd());
      return true;
    }
    const last = this.#found.length - 1;
    if (ERROR.test(text)) this.#found.push(text);
    else if (last >= 0 && !SUM.test(text)) this.#found[last] += `\n${text}`;
    return false;
  }
}

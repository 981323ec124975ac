import { stripVTControlCharacters } from 'node:util';
import type { DevState } from './dev-state.js';

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
  #found: string[] = [];

  /** @param state takes the lines, and what they tell. */
  constructor(private readonly state: DevState) {}

  /** Takes a line of the compiler. */
  read(line: string): void {
    const { state } = this;
    state.write('compiler', line);
    const text = stripVTControlCharacters(line).trimEnd();
    if (BEGINS.test(text)) {
      this.#found = [];
      return state.change({ compiler: { ...state.compiler, isCompiling: true, isUnderstood: true } });
    }
    if (ENDS.test(text)) {
      const problems = this.#found.map((problem) => problem.trimEnd());
      state.change({ compiler: { isCompiling: false, problems, isUnderstood: true } });
      if (problems.length > 0 && state.server.status === 'up')
        state.write('sigil', 'serving what was compiled last');
      return;
    }
    const last = this.#found.length - 1;
    if (ERROR.test(text)) this.#found.push(text);
    else if (last >= 0 && !SUM.test(text)) this.#found[last] += `\n${text}`;
  }
}

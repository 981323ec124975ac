import { stripVTControlCharacters } from 'node:util';
import type { DevState } from './dev-state.js';

/** The line that `tsc --watch` writes at the start of a compilation. */
const BEGINS = /\bStarting (incremental )?compilation\b/;
/** The line that `tsc --watch` writes at the end of a compilation. */
const ENDS = /\bFound \d+ errors?\. Watching\b/;
/** The line where `tsc` summarises the errors for a terminal, before the end. */
const SUM = /^Found \d+ errors?\b/;
/** The first line of an error from `tsc`, or from a compiler that uses its format without error numbers. */
const ERROR = /\berror TS\d+: |^[^:]+: error: /;
/** The prefix of a compiler's lines if several compilers run at once: its name, such as `[view] `. */
const NAMED = /^\[([a-z][\w-]*)\] /;

/** The state of one compiler. */
interface OneCompilation {
  isCompiling: boolean;
  /** The errors of the running compilation. */
  found: string[];
  /** The errors of the last compilation. */
  problems: readonly string[];
}

/** Reads the state of a compilation from the output lines of the compiler. Only the format of `tsc` is understood. */
export class Compilation {
  readonly #compilers = new Map<string, OneCompilation>();

  /** @param state receives the output lines of the compiler, and its state: running, succeeded or failed. */
  constructor(private readonly state: DevState) {}

  /** Reads a line from the compiler. */
  read(line: string): void {
    const { state } = this;
    state.write('compiler', line);
    const whole = stripVTControlCharacters(line).trimEnd();
    const [prefix = '', name = ''] = NAMED.exec(whole) ?? [];
    const text = whole.slice(prefix.length);
    const compiler = this.#compilerOf(name);
    if (BEGINS.test(text)) {
      compiler.isCompiling = true;
      compiler.found = [];
      return this.#report();
    }
    if (ENDS.test(text)) {
      compiler.isCompiling = false;
      compiler.problems = compiler.found.map((problem) => problem.trimEnd());
      this.#report();
      if (compiler.problems.length > 0 && state.server.status === 'up')
        state.write('sigil', 'serving what was compiled last');
      return;
    }
    const { found } = compiler;
    const last = found.length - 1;
    if (ERROR.test(text)) found.push(text);
    else if (last >= 0 && !SUM.test(text)) found[last] += `\n${text}`;
  }

  #compilerOf(name: string): OneCompilation {
    const known = this.#compilers.get(name) ?? { isCompiling: false, found: [], problems: [] };
    this.#compilers.set(name, known);
    return known;
  }

  #report(): void {
    const all = [...this.#compilers.values()];
    const isCompiling = all.some((compiler) => compiler.isCompiling);
    const problems = all.flatMap((compiler) => compiler.problems);
    this.state.change({ compiler: { isCompiling, problems, isUnderstood: true } });
  }
}

import { beforeEach, describe, expect, test } from '@jest/globals';
import { Compilation } from '../../src/dev/compilation.js';
import { DevState } from '../../src/dev/dev-state.js';

const BEGIN = '10:21:07 AM - Starting compilation in watch mode...';
const AGAIN = '10:21:40 AM - File change detected. Starting incremental compilation...';
const found = (count: number): string => `10:21:08 AM - Found ${count} errors. Watching for file changes.`;

function read(compilation: Compilation, text: string): void {
  for (const line of text.split('\n')) compilation.read(line);
}

describe('the compilation that a compiler tells of', () => {
  let state: DevState;
  let compilation: Compilation;
  beforeEach(() => {
    state = new DevState();
    compilation = new Compilation(state);
  });

  test('is running from its first line to its last', () => {
    const isCompiling = ['anything', BEGIN, '', found(0), ''].map((line) => {
      compilation.read(line);
      return state.compiler.isCompiling;
    });
    expect(isCompiling).toEqual([false, true, true, false, false]);
    expect(state.lines).toHaveLength(5);
  });

  test('leaves the server that was compiled last, and says so', () => {
    const text = `${BEGIN}\na.ts(1,1): error TS1: first\n${found(1)}`;
    read(compilation, text);
    expect(state.lines.at(-1)).toMatchObject({ source: 'compiler' });
    state.change({ server: { status: 'up' } });
    read(compilation, text);
    expect(state.lines.at(-1)).toMatchObject({ source: 'sigil', text: 'serving what was compiled last' });
  });

  test('has found errors of one line or of several', () => {
    const call = `src/main.ts(2,20): error TS2769: No overload matches this call.
  Overload 1 of 2 gave the following error.`;
    const config = 'error TS18003: No inputs were found in config file.';
    read(compilation, `${BEGIN}\n\n${call}\n${config}\n${found(2)}`);
    expect(state.compiler.problems).toEqual([call, config]);
  });

  test('has the errors of the one before until it ends', () => {
    read(
      compilation,
      `${BEGIN}\na.ts(1,1): error TS1: first\n${found(1)}\n${AGAIN}\nb.ts(1,1): error TS2: second`,
    );
    expect(state.compiler.problems).toEqual(['a.ts(1,1): error TS1: first']);
    compilation.read(found(1));
    expect(state.compiler.problems).toEqual(['b.ts(1,1): error TS2: second']);
    read(compilation, `${AGAIN}\n\n${found(0)}`);
    expect(state.compiler.problems).toEqual([]);
  });

  test('has the errors of several compilers, whose lines begin with their names', () => {
    read(compilation, `${BEGIN}\n[view] Starting compilation\na.ts(1,1): error TS1: first\n${found(1)}`);
    expect(state.compiler).toMatchObject({ isCompiling: true, problems: ['a.ts(1,1): error TS1: first'] });
    const broken = 'ui/src/app.tsx: error: Unexpected token';
    read(compilation, `[view] ${broken}\n[view]   3 | <<\n[view] ${found(1)}`);
    expect(state.compiler).toMatchObject({
      isCompiling: false,
      problems: ['a.ts(1,1): error TS1: first', `${broken}\n  3 | <<`],
    });
    read(compilation, `${AGAIN}\n${found(0)}`);
    expect(state.compiler.problems).toEqual([`${broken}\n  3 | <<`]);
    read(compilation, `[view] Starting compilation\n[view] ${found(0)}`);
    expect(state.compiler.problems).toEqual([]);
  });

  test('is read from lines for a terminal, without their colours and their sum', () => {
    const red = '\u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0m';
    read(
      compilation,
      `[\u001b[90m10:21:06 AM\u001b[0m] Starting compilation in watch mode...

\u001b[96msrc/main.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m14\u001b[0m - ${red}Type 'string' is not assignable.

\u001b[7m1\u001b[0m export const a: number = "x";
\u001b[7m \u001b[0m \u001b[91m             ~\u001b[0m


Found 1 error in src/main.ts\u001b[90m:1\u001b[0m

[\u001b[90m10:21:06 AM\u001b[0m] Found 1 error. Watching for file changes.`,
    );
    expect(state.compiler.problems).toEqual([
      `src/main.ts:1:14 - error TS2322: Type 'string' is not assignable.

1 export const a: number = "x";
               ~`,
    ]);
  });
});

import { resolve } from 'node:path';
import { buildProgram } from '../build/build.js';
import { reportOf } from '../build/report.js';
import { type TargetName, TARGETS } from '../build/targets.js';
import { EXIT_CODES, UsageError } from '../failures.js';
import { type Command, readArguments, readNumber } from './command.js';

const OPTIONS = {
  target: { type: 'string', default: 'node' },
  out: { type: 'string' },
  snapshot: { type: 'boolean', default: false },
  external: { type: 'string', multiple: true, default: [] as string[] },
  'no-minify': { type: 'boolean', default: false },
  sourcemap: { type: 'boolean', default: false },
  whole: { type: 'boolean', default: false },
  timeout: { type: 'string', default: '60' },
  json: { type: 'boolean' },
} as const;
const DEFAULT_ENTRY = 'dist/main.js';

/** `sigil build`: makes one file of a program. */
export const build: Command = {
  synopsis:
    'build [<main.js>] [--target <target>] [--snapshot] [--out <file>] [--no-minify] [--sourcemap] [--external <package>]… [--whole]',
  purpose: 'make one file of a program, whose schemas are compiled',
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, [], ['<main.js>']);
    const cwd = process.cwd();
    const target = TARGETS[readTarget(values.target)];
    // With a source map it is an ES module.
    const file = values.sourcemap ? target.file.replace(/\.cjs$/, '.mjs') : target.file;
    const options = {
      cwd,
      entry: resolve(cwd, operands[0] ?? DEFAULT_ENTRY),
      out: resolve(cwd, values.out ?? (values.snapshot ? 'dist/app.blob' : file)),
      snapshot: values.snapshot,
      target,
      minify: !values['no-minify'],
      sourcemap: values.sourcemap,
      external: values.external,
      whole: values.whole,
      timeoutMs: readNumber('--timeout', values.timeout) * 1000,
    };
    if (options.entry === options.out) throw new UsageError('--out is the program itself');
    const report = reportOf(await buildProgram(options), options);
    if (values.json) terminal.out(JSON.stringify(report.json, undefined, 2));
    else for (const line of report.lines) terminal.out(line);
    return EXIT_CODES.ok;
  },
};

function readTarget(text: string): TargetName {
  if (Object.hasOwn(TARGETS, text)) return text as TargetName;
  throw new UsageError(`--target must be one of ${Object.keys(TARGETS).join(', ')}, not '${text}'`);
}

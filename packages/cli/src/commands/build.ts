import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { bundleProgram, writeBundle } from '../bundling/bundle.js';
import { reportOf } from '../bundling/report.js';
import { checkShipFolder, ship } from '../bundling/ship.js';
import { compareWithProgram } from '../bundling/verify.js';
import { TARGETS } from '../bundling/targets.js';
import { EXIT_CODES, UsageError } from '../failures.js';
import { makeFolder } from '../make-folder.js';
import { show } from '../terminal.js';
import {
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  mainOf,
  readArguments,
  readChoice,
  readTimeout,
  SERVER_OPTIONS,
} from './command.js';

const OPTIONS = {
  target: {
    type: 'string',
    value: 'target',
    default: 'node',
    about: `the platform of the file: ${Object.keys(TARGETS).join(', ')}`,
  },
  out: {
    type: 'string',
    value: 'file',
    about: 'the file to write; by default, a file in the folder of the program, such as dist/app.mjs',
  },
  ship: {
    type: 'string',
    value: 'folder',
    about: 'a folder to write, with the file and everything that it needs on another machine',
  },
  external: {
    type: 'string',
    value: 'package',
    multiple: true,
    default: [] as string[],
    about: 'a package to leave out of the bundle',
  },
  'no-verify': {
    type: 'boolean',
    default: false,
    about: 'do not check that the file behaves like the program',
  },
  'no-minify': { type: 'boolean', default: false, about: 'leave the code readable' },
  timeout: {
    type: 'string',
    value: 'seconds',
    default: '60',
    about: 'how long the program may take to report its definitions',
  },
  ...MAIN_OPTION,
  json: SERVER_OPTIONS.json,
} as const;

/** `sigil build`: bundles a program into one file. */
export const build: Command = {
  synopsis:
    'build [<main.js>] [--target <target>] [--out <file>] [--ship <folder>] [--external <package>]… [--no-minify] [--no-verify]',
  purpose: 'bundle a program into one file, with compiled schemas',
  example: 'build dist/main.js --out dist/server.mjs',
  options: OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, [], [MAIN_OPERAND]);
    const target = readChoice('--target', values.target, TARGETS);
    const entry = resolve(mainOf(operands[0], values.main));
    const options = {
      entry,
      out: resolve(values.out ?? join(dirname(entry), TARGETS[target].file)),
      target,
      minify: !values['no-minify'],
      external: values.external,
      timeoutMs: readTimeout(values.timeout),
    };
    if (values.ship !== undefined && !TARGETS[target].hasFiles)
      throw new UsageError(
        `--ship does not work with --target ${target}, because this target has no file system`,
      );
    if (options.entry === options.out) throw new UsageError('--out is the program itself');
    const folder = values.ship === undefined ? undefined : resolve(values.ship);
    if (folder !== undefined) checkShipFolder(folder, options);
    const bundled = await bundleProgram(options);
    const temporary = folder === undefined ? undefined : mkdtempSync(join(tmpdir(), 'sigil-ship-'));
    try {
      const shipped = temporary === undefined ? undefined : await ship(temporary, options, bundled);
      const external = shipped?.external ?? bundled.external;
      const warnings = [...bundled.warnings, ...(shipped?.warnings ?? [])];
      const { runtime } = bundled.examined.description;
      if (target === 'node' && runtime !== undefined && !values['no-verify']) {
        const why = await compareWithProgram({ ...options, bundled, external, shipped: temporary, runtime });
        if (why !== undefined)
          warnings.push(
            `the file was written, but was not compared with the program, because the program does not start on this machine: ${why}`,
          );
      }
      // The bundle is only written now, so that a failed build leaves the previous bundle.
      writeBundle(bundled);
      if (temporary !== undefined && folder !== undefined) replaceFolder(folder, temporary);
      const report = reportOf({ ...bundled, external, warnings }, options, folder);
      show(terminal, values, report.json, () => report.lines);
      return EXIT_CODES.ok;
    } finally {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    }
  },
};

function replaceFolder(folder: string, temporary: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
    makeFolder(dirname(folder));
    cpSync(temporary, folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--ship ${relative(process.cwd(), folder)} cannot be written: ${messageOf(error)}`);
  }
}

import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { table } from '../terminal.js';
import type { BuildOptions, Built } from './build.js';
import type { KeptPart } from './left-out.js';
import { packageName } from './module-text.js';

/** What there is to be known of a built program, for programs and for people. */
export interface Report {
  readonly json: object;
  readonly lines: readonly string[];
}

/** Packages that make up less than this many bytes are counted together. */
const SMALL = 4096;

/** Tells what a built program contains, and how large it is. */
export function reportOf(
  built: Built,
  { cwd, entry, out, minify, target, snapshot }: Omit<BuildOptions, 'timeoutMs'>,
): Report {
  const { bundle, description, rules, outside, leftOut, kept } = built;
  const file = relative(cwd, out);
  const content = readFileSync(out);
  const bytes = content.length;
  const gzip = gzipSync(content).length;
  const packages = packageSizes(bundle.output.inputs, cwd, packageName(entry));
  const compiler = compilerIn(built.parts);
  const reads = [...new Set(built.reads.map(({ path }) => relative(cwd, path) || '.'))];
  const warnings = [
    ...bundle.warnings,
    ...description.unmade.map(
      (why) =>
        `an app that is made when its first request comes could not be made here, so it is not prepared: ${why}. Read what the platform gives in a useFactory of a provider, or set it as a variable of the environment`,
    ),
    ...(description.apps.length + description.unmade.length > 0
      ? []
      : [
          'no app was made when the program was started, so nothing is prepared, and the file may do nothing; call createApp() at the top, or in a function that is called there',
        ]),
  ];
  const json = {
    file,
    bytes,
    gzip,
    minified: minify,
    apps: description.apps,
    validators: description.validators.length,
    rules,
    leftOut,
    kept,
    compiler,
    codeCache: built.cached ? process.version : null,
    snapshot: snapshot ? process.version : null,
    packages,
    outside,
    reads,
    warnings,
  };
  const rows: [string, string][] = [
    ...description.apps.map(({ name, version, tools, resources, prompts }): [string, string] => [
      `${name} ${version}`,
      [
        counted(tools.length, 'tool'),
        counted(resources.length, 'resource'),
        counted(prompts.length, 'prompt'),
      ].join(', '),
    ]),
    ['validators', `${description.validators.length} compiled ahead; others are ${HOW[compiler]}`],
    [
      'class-validator',
      rules === 'all'
        ? 'all rules: it is imported as a whole'
        : rules.length === 0
          ? 'none'
          : rules.join(', '),
    ],
    ...(leftOut.length > 0
      ? [['left out', `${leftOut.join(', ')}: no code of the program asks for it`] satisfies [string, string]]
      : []),
    ...(kept.length > 0 ? [['kept', reasonsOf(kept)] satisfies [string, string]] : []),
    ['packages', packages.map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`).join(', ')],
    ...(outside.length > 0
      ? [['outside', `${outside.join(', ')}: to be installed beside the file`] satisfies [string, string]]
      : []),
    ...(reads.length > 0
      ? [
          ['reads', `${reads.join(', ')}: to be where it is now, seen from the file`] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ['size', `${kilobytes(bytes)}${minify && !snapshot ? ' minified' : ''}, ${kilobytes(gzip)} gzip`],
    ...(built.cached
      ? [
          ['code cache', `of Node ${process.version}; another version compiles the code itself`] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ...(snapshot
      ? [['snapshot', `of Node ${process.version}; another version refuses it`] satisfies [string, string]]
      : []),
    ['start', (snapshot ? 'node --snapshot-blob %' : target.start).replace('%', file)],
  ];
  return {
    json,
    lines: [file, ...table(rows).map((row) => `  ${row}`), ...warnings.map((text) => `  warning: ${text}`)],
  };
}

/** Each reason once, after the parts that it keeps. */
function reasonsOf(kept: readonly KeptPart[]): string {
  const reasons = [...new Set(kept.map(({ by }) => by))];
  const partsOf = (reason: string): string[] =>
    kept.filter(({ by }) => by === reason).map(({ part }) => part);
  return reasons.map((reason) => `${partsOf(reason).join(', ')} (${reason})`).join(', ');
}

const HOW = {
  ajv: 'compiled by ajv when they are first needed',
  interpreter: 'interpreted',
} as const;

/** What compiles schemas that are not prepared: the module says it that the conditions of the target have chosen. */
function compilerIn(parts: readonly string[]): keyof typeof HOW {
  return parts.some((path) => path.endsWith('/interpreter/interpreter.js')) ? 'interpreter' : 'ajv';
}

function packageSizes(
  inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>,
  cwd: string,
  program: string | undefined,
): { readonly name: string; readonly bytes: number }[] {
  const sizes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const name = OWN[path] ?? nameOf(resolve(cwd, path), program);
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  const sorted = [...sizes]
    .map(([name, bytes]) => ({ name, bytes }))
    .sort((one, other) => other.bytes - one.bytes);
  const small = sorted.filter(({ bytes }) => bytes < SMALL);
  const rest = small.reduce((sum, { bytes }) => sum + bytes, 0);
  const large = sorted.filter(({ bytes }) => bytes >= SMALL);
  return small.length > 1 ? [...large, { name: 'others', bytes: rest }] : sorted;
}

function nameOf(path: string, program: string | undefined): string {
  const name = packageName(path);
  return name === undefined || name === program ? 'program' : name;
}

/** Modules that are no files, as the bundler names them. */
const OWN: Readonly<Record<string, string>> = {
  'sigil:sigil:prepared': 'validators',
  'sigil:sigil:present': 'parts as text',
  'sigil:sigil:start': 'program',
  'sigil:sigil:parts': 'program',
  'sigil:sigil:helpers': 'program',
};

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

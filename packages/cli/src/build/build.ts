/*
 * One file of a program. The way is:
 *
 * 1. `bundle.ts` bundles the program to be described: `describe.ts` starts it, and it tells what it is made of and serves nothing. Folders
 *    that it gives as `discover` are told first; their modules become part of the bundle, and it is described again.
 * 2. `class-libraries.ts` finds out which rules of class-validator it has, so that no other one comes along.
 * 3. The validators that it told of, as code, and the modules that were discovered go into the file, which hands them over to the framework
 *    before the program begins.
 *
 * `targets.ts` says what differs by where the file is going to run, `report.ts` what there is to be known of it.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync, realpathSync } from 'node:fs';
import type { BuildDescription, DiscoveredFiles } from '@sigil/core/build';
import type { Plugin } from 'esbuild';
import { ServerError, UsageError } from '../failures.js';
import { type Bundle, bundle, type BundleOptions, seenFrom, type Stage } from './bundle.js';
import {
  classLibraries,
  importedRules,
  packageFolder,
  type Rules,
  withoutValidator,
} from './class-libraries.js';
import type { FileReference } from './file-references.js';
import { type KeptPart, leftOutOf } from './left-out.js';
import { bundleWithParts } from './framework-parts.js';
import { asScript, isCommonJs } from './code-cache.js';
import { checkSnapshot, writeSnapshot } from './snapshot.js';
import { TARGETS } from './targets.js';
import { describeProgram, DESCRIBING } from './describe.js';

/** How a program is built. */
export interface BuildOptions extends Omit<BundleOptions, 'framework'> {
  /** Milliseconds that the program may take to tell what it is made of. */
  readonly timeoutMs: number;
  /** Whether nothing of the framework is left out because the program does not name it. */
  readonly whole: boolean;
}

/** What was built. */
export interface Built {
  /** Whether its code is in it as this version of Node compiles it, too. */
  readonly cached: boolean;
  readonly bundle: Bundle;
  readonly description: BuildDescription;
  readonly rules: Rules;
  /** What of the framework is left out, as it is called in messages. */
  readonly leftOut: readonly string[];
  /** What of it could have been, and is not. */
  readonly kept: readonly KeptPart[];
  /** The files of parts that the framework imports when it needs them. */
  readonly parts: readonly string[];
  /** Packages that are outside of the file, because they look for files beside their own. */
  readonly outside: readonly string[];
  /** Files that it reads when it runs: they have to be where they are now, seen from it. */
  readonly reads: readonly FileReference[];
}

/** A program is described again as long as it discovers more; so often at most. */
const MOST_DISCOVERIES = 16;

/**
 * Writes a program into one file.
 *
 * @throws ServerError when it cannot be bundled, its definitions are wrong, or it needs what the target has not.
 */
export async function buildProgram(asked: BuildOptions): Promise<Built> {
  if (!existsSync(asked.entry))
    throw new UsageError(`there is no file ${relative(asked.cwd, asked.entry)}: compile first`);
  if (/\.[cm]?tsx?$/.test(asked.entry))
    throw new UsageError(
      `${relative(asked.cwd, asked.entry)} is TypeScript: compile it, and give what the compiler writes, such as dist/main.js`,
    );
  if (asked.snapshot) checkSnapshot(asked);
  else if (isCommonJs(asked.out) && (asked.sourcemap || asked.target !== TARGETS.node))
    throw new UsageError(
      `--out ${relative(asked.cwd, asked.out)}: ${asked.sourcemap ? 'what has a source map' : 'for this target it'} is an ES module: name it ${basename(asked.out, '.cjs')}.mjs`,
    );
  const core = packageFolder('@sigil/core', asked.entry);
  if (core === undefined)
    throw new UsageError(`${asked.entry} is no program of Sigil: @sigil/core is not installed`);
  const framework = realpathSync(core);
  const options = { ...asked, framework };
  const name = JSON.stringify(options.entry);
  await mkdir(dirname(options.out), { recursive: true });
  let discovered: DiscoveredFiles = {};
  const outside = new Set(options.external);
  for (let round = 0; round < MOST_DISCOVERIES; round++) {
    const given = { ...options, external: [...outside] };
    const seen = await bundle(
      { ...given, minify: false, sourcemap: false },
      {
        // Whether there is a default export, a warning tells.
        start: `import 'sigil:prepared'; import * as program from ${name}; export default program.default;`,
        modules: { 'sigil:prepared': modulesOf(discovered) },
        plugins: [withoutValidator(framework)],
        location: 'original',
      },
    );
    if (seen.rooted.length > 0) {
      refuseMissing(options, { reads: [], rooted: seen.rooted }, discovered);
      for (const one of seen.rooted) outside.add(one);
      continue;
    }
    const rules = importedRules(seen.code);
    const plugins = [classLibraries(framework, rules)];
    const described = await bundle(
      // It is described on this machine, whatever it is for.
      { ...given, target: { ...given.target, files: true }, minify: false, sourcemap: false },
      {
        start: `import 'sigil:describe'; import 'sigil:globals'; import 'sigil:prepared'; import ${name}; import 'sigil:described';`,
        modules: {
          ...DESCRIBING,
          'sigil:globals': options.target.globals ?? '',
          'sigil:prepared': preparedText(NOTHING, discovered, JSON.stringify),
        },
        plugins: [...plugins, standIns],
        location: 'original',
      },
    );
    const told = await describeProgram(described.code, options, options.timeoutMs).catch((error: unknown) => {
      // What reads files may need to, to start.
      if (error instanceof ServerError && error.problems.length === 0)
        refuseMissing(options, seen, discovered);
      throw error;
    });
    discovered = { ...discovered, ...told.discovered };
    if (Object.keys(told.discovered).length > 0) continue;
    refuseUnimported(asked, seen);
    const { description } = told;
    if (!description) throw new ServerError('the program has told nothing of itself');
    if (description.apps.length === 0 && options.target === TARGETS.node) refuseOther(options, described);
    refuseMissing(options, seen, discovered);
    if (options.snapshot && description.apps.length === 0)
      throw new ServerError(
        'a snapshot is of a program that has made an app when it is loaded: call createApp() at the top',
      );
    const hasDefault = !seen.warnings.some((warning) =>
      warning.includes('Import "default" will always be undefined'),
    );
    // Nothing imports a program that Node runs.
    const exported =
      options.target === TARGETS.node
        ? `import ${name};`
        : `export * from ${name};${hasDefault ? ` export { default } from ${name};` : ''}`;
    const place = (href: string): string => seenFrom(href, options.out, options.target);
    const { defines, allKnown, isOrdered, leftOut, kept } = asked.whole
      ? WHOLE
      : await leftOutOf(seen, description, given);
    const stage: Stage = {
      start: `import 'sigil:prepared'; ${exported}`,
      modules: { 'sigil:prepared': preparedText({ ...description, allKnown }, discovered, place) },
      plugins: isOrdered ? [classLibraries(framework, rules, true)] : plugins,
      defines,
      location: 'bundle',
    };
    // Modules that a program imports when it needs them run then: a snapshot cannot hold what some of them load, such as HTTP.
    const { made, parts } = options.snapshot
      ? { made: await bundle(given, stage), parts: [] }
      : await bundleWithParts(given, stage);
    if (options.target.serves === 'exports' && made.output.exports.length === 0) refuseUnexported(options);
    const script = options.sourcemap || options.snapshot ? undefined : await asScript(made, options);
    if (options.snapshot) await writeSnapshot(made, options, options.timeoutMs);
    else await write(options.out, script ?? made);
    return {
      cached: script?.cached === true,
      bundle: made,
      description,
      rules,
      leftOut,
      kept,
      parts,
      outside: made.outside,
      reads: readsOf(made, discovered),
    };
  }
  throw new ServerError('what the program discovers discovers more and more');
}

async function write(out: string, { code, map }: Pick<Bundle, 'code' | 'map'>): Promise<void> {
  await writeFile(out, map === undefined ? code : `${code}//# sourceMappingURL=${basename(out)}.map\n`);
  if (map !== undefined) await writeFile(`${out}.map`, map);
}

/** The modules that were discovered, as a statement that imports them. */
function modulesOf(discovered: DiscoveredFiles): string {
  const files = Object.values(discovered).flat();
  return `globalThis.discovered = [${files.map((href) => `() => ${importOf(href)}`).join(', ')}];`;
}

function importOf(href: string): string {
  return `import(${JSON.stringify(fileURLToPath(href))})`;
}

const NOTHING = { validators: [], validatorTools: [], patterns: [], plans: [], allKnown: false };
const WHOLE = { defines: {}, allKnown: false, isOrdered: false, leftOut: [], kept: [] };

/** The module that hands over to the framework what was found out. @param place an expression: the URL of a place, as the program will say it. */
function preparedText(
  {
    validators,
    validatorTools,
    patterns,
    plans,
    allKnown,
  }: Pick<BuildDescription, 'validators' | 'validatorTools' | 'patterns' | 'plans'> & {
    readonly allKnown: boolean;
  },
  discovered: DiscoveredFiles,
  place: (href: string) => string,
): string {
  const coded = validators.map(({ key, code }) => `${JSON.stringify(key)}: ${code}`);
  const planned = (typeof plans === 'string' ? [] : plans).map(
    ({ data, code }) => `{ ...${asCode(data)}${code === undefined ? '' : `, accepts: ${code}`} }`,
  );
  const imported: string[] = [];
  const places = Object.entries(discovered).map(([href, files]) => {
    const modules = files.map((file) => {
      // Of what is imported when it is asked for, bundlers keep all that it imports itself.
      const load = allKnown ? `Promise.resolve(m${imported.push(file) - 1})` : importOf(file);
      return `{ path: ${JSON.stringify(basename(fileURLToPath(file)))}, load: () => ${load} }`;
    });
    return `[${place(href)}]: [${modules.join(', ')}]`;
  });
  return `import { prepare, ${allKnown ? 'preparedSchemas, ' : ''}VERDICT_TOOLS } from '@sigil/core/prepared';
${imported.map((file, index) => `import * as m${index} from ${JSON.stringify(fileURLToPath(file))};`).join('\n')}
const { ${validatorTools.join(', ')} } = VERDICT_TOOLS;
${allKnown ? `const plans = [${planned.join(',\n')}];` : ''}
prepare({ validators: {
${allKnown ? '' : coded.join(',\n')}
}, patterns: ${JSON.stringify(patterns)}, discovered: { ${places.join(', ')} }${
    allKnown ? ', schemas: () => preparedSchemas(plans)' : ''
  } });`;
}

/** A JSON value as code: an object that has a property of a reserved name keeps it. */
function asCode(value: object): string {
  const text = JSON.stringify(value);
  return text.includes('"__proto__"') ? `JSON.parse(${JSON.stringify(text)})` : text;
}

/** What only the target has, while a program is described on this machine. */
const standIns: Plugin = {
  name: 'stand-ins',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:cloudflare|bun):|^bun$/ }, ({ path }) => ({
      path,
      namespace: 'stand-in',
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'stand-in' }, () => ({
      contents:
        'module.exports = new Proxy({}, { get: (_, name) => name === "__esModule" ? false : class {} });',
      loader: 'js',
    }));
  },
};

/** The files that a program reads when it runs: not the folders of modules that are in the bundle. */
function readsOf({ reads }: Pick<Bundle, 'reads'>, discovered: DiscoveredFiles): readonly FileReference[] {
  const places = Object.keys(discovered).map((href) => fileURLToPath(href));
  return reads.filter(({ path }) => !places.includes(path) && existsSync(path));
}

/** @throws UsageError when a package is named that would not be in the file anyway: it may be written with other letters. */
function refuseUnimported({ external }: BuildOptions, { unimported }: Bundle): void {
  const [name] = external.filter((one) => unimported.includes(one));
  if (name !== undefined)
    throw new UsageError(
      `--external ${name}: the program imports no package of this name that can stay outside`,
    );
}

/** @throws ServerError when nothing that runs makes an app: nothing imports a program that Node runs. */
function refuseOther({ cwd, entry }: BundleOptions, { code }: Bundle): void {
  if (/\bfunction createApp\b/.test(code)) return;
  const problem = `${relative(cwd, entry)}: it makes no app when it is started: nothing that it runs calls createApp()`;
  const fix =
    'give the program that does, such as dist/main.js; what a platform imports is for --target worker or lambda';
  throw new ServerError('this is no program', [{ code: 'SIGIL_BUILD_FAILED', problem, fix }]);
}

/** @throws ServerError always: the platform has nothing to call. */
function refuseUnexported({ cwd, entry }: BundleOptions): never {
  const problem = `${relative(cwd, entry)}: it exports nothing, and this target serves what a program exports`;
  const fix = 'give an entry of its own, such as one with export default worker(app) of @sigil/workers';
  throw new ServerError('nothing would be served', [{ code: 'SIGIL_BUILD_FAILED', problem, fix }]);
}

/** @throws ServerError when a program needs files where there are none. */
function refuseMissing(
  { cwd, target }: BundleOptions,
  seen: Pick<Bundle, 'reads' | 'rooted'>,
  discovered: DiscoveredFiles,
): void {
  if (target.files) return;
  const code = 'SIGIL_BUILD_FAILED';
  const problems = [
    ...readsOf(seen, discovered).map(({ from, path }) => ({
      code,
      problem: `${relative(cwd, from)}: it reads ${relative(cwd, path)} when it runs, and the target has no files`,
      fix: 'import what is in it, such as import data from "./data.json" with { type: "json" }, or have another entry for this target',
    })),
    ...seen.rooted.map((name) => ({
      code,
      problem: `${name}: the package looks for files beside its own, and the target has none`,
      fix: 'use another package, or have another entry for this target',
    })),
  ];
  if (problems.length > 0) throw new ServerError('the program needs files', problems);
}

/*
 * An esbuild plugin that makes one file of a program. The way is:
 *
 * 1. `examine-program.ts` bundles the program for a description and runs it (`run-described.ts`): it describes itself
 * and serves nothing. If it has folders as `discover`, it reports them first; their modules become part of the bundle,
 * and it is described again.
 * 2. `external.ts` leaves modules external that cannot be bundled. `class-libraries.ts` replaces class-validator by the
 * rules that the program imports. `places.ts` gives modules their original paths.
 * 3. The validators, as code, and the modules that were discovered are in a module that begins the bundle
 * (`prepared.ts`).
 *
 * `targets.ts` has the differences between targets. `bundle.ts` and `report.ts` are `sigil build`.
 */

import type { BuildOptions, PartialMessage, Plugin } from 'esbuild';
import { ServerError } from '../failures.js';
import { bundledForm, bundledRules, RULES } from './class-libraries.js';
import { type Examined, examineProgram, REQUIRE } from './examine-program.js';
import { leaveExternal } from './external.js';
import { modulePlaces, PLACE_NAMES, PLACES, placesText } from './places.js';
import { PATTERNS, PATTERNS_TEXT, preparedText, virtualModules } from './prepared.js';
import { programOf } from './program.js';
import type { Target, TargetName } from './targets.js';

/** Options of the plugin. */
export interface SigilOptions {
  /**
   * The target platform.
   * @default 'node'
   */
  readonly target?: TargetName;
  /**
   * Maximum duration of each run of the program, in milliseconds. The build runs the program to read its definitions,
   * and fails if a run takes longer.
   * @default 60_000
   */
  readonly timeoutMs?: number;
}

/**
 * Bundles a Sigil program into one file. The bundle contains compiled validators, the modules that the option
 * `discover` matches, and the exports of class-validator that the program imports. The program runs during bundling,
 * but does not serve clients.
 *
 * @param options the target platform, and the time limit for each run of the program.
 * @returns an esbuild plugin, for builds with one entry point. It sets `format` to `'esm'`. It also sets `platform`,
 *   `conditions` and other options, unless the build sets them.
 * @example
 * ```ts
 * import { build } from 'esbuild';
 * import { sigil } from '@sigil/cli/bundle';
 *
 * await build({ entryPoints: ['dist/main.js'], outfile: 'dist/app.mjs', bundle: true, plugins: [sigil()] });
 * ```
 */
export function sigil(options: SigilOptions = {}): Plugin {
  return examiningPlugin(options, () => undefined);
}

/** Creates the plugin `sigil`. @param onExamined a function that is called with the facts about the program. */
export function examiningPlugin(
  { target: name = 'node', timeoutMs = 60_000 }: SigilOptions,
  onExamined: (examined: Examined) => void,
): Plugin {
  return {
    name: 'sigil',
    setup(bundler) {
      const options = bundler.initialOptions;
      const program = programOf(options, name);
      const { entry, out, framework, target } = program;
      setOptions(options, target);
      const asked = { ...options };
      if (target.hasFiles)
        options.banner = { ...options.banner, js: `${options.banner?.['js'] ?? ''}\n${REQUIRE}`.trimStart() };
      // The bundler waits for plugins that start a build.
      let examined: Promise<Examined>;
      bundler.onStart(async () => {
        examined = examineProgram(bundler.esbuild, asked, program, timeoutMs);
        try {
          onExamined(await examined);
          return { warnings: warningsOf(await examined) };
        } catch (error) {
          return { errors: messagesOf(error) };
        }
      });

      const modules = {
        [PLACES]: () => placesText(target.hasFiles),
        [RULES]: async () => bundledRules((await examined).rules),
        [PATTERNS]: () => PATTERNS_TEXT,
        async 'sigil:prepared'() {
          const { description, discovered } = await examined;
          return preparedText(description, discovered, out);
        },
        async [entry]() {
          const names = (await examined).exports.map((one) => JSON.stringify(one));
          const file = JSON.stringify(entry);
          // External packages are loaded before all other modules, and their decorators may need reflect-metadata.
          return `import 'reflect-metadata'; import 'sigil:prepared'; import ${file}; export { ${names.join(', ')} } from ${file};`;
        },
      };
      void virtualModules(modules, framework).setup(bundler);
      // Injected modules are of this kind too, and have been found by now.
      bundler.onResolve({ filter: /.*/ }, ({ kind }) =>
        kind === 'entry-point' ? { path: entry, namespace: 'sigil' } : undefined,
      );
      // Patterns that only become known later need the engine. For a program with files, including it costs nothing.
      bundler.onResolve({ filter: /^#pattern-engine$/ }, async () =>
        target.hasFiles || (await examined).description.needsPatternEngine
          ? undefined
          : { path: PATTERNS, namespace: 'sigil' },
      );
      void modulePlaces(program).setup(bundler);
      void leaveExternal(
        program,
        (one) => bundledForm(one, target.hasFiles),
        async () => (await examined).shared,
      ).setup(bundler);
    },
  };
}

/** Sets the build options that the author of the build has not set. */
export function setOptions(options: BuildOptions, { conditions, hasFiles }: Target): BuildOptions {
  options.format = 'esm';
  // Without files, the platform is `browser`: only then does esbuild read the field that older packages use to exclude
  // Node.
  options.platform ??= hasFiles ? 'node' : 'browser';
  options.conditions ??= [...conditions];
  options.target ??= 'es2023';
  // Names of classes appear in schemas and messages.
  options.keepNames ??= true;
  // esbuild treats builds for browsers as development builds.
  const mode = hasFiles ? {} : { 'process.env.NODE_ENV': '"production"' };
  options.define = { ...PLACE_NAMES, ...mode, ...options.define };
  options.inject = [...(options.inject ?? []), PLACES];
  return options;
}

function warningsOf({ description: { apps, unmade } }: Examined): PartialMessage[] {
  const texts = unmade.map(
    (why) =>
      `the build could not create an app that the program creates at the first request, so the schemas of this app are not compiled: ${why}. If the app needs values of the platform, read them in the useFactory of a provider, or set them as environment variables for the build`,
  );
  if (apps.length + unmade.length === 0)
    texts.push(
      'the program created no app when it was started, so no schemas are compiled, and the bundle may do nothing: call createApp() at the top level of a module, or in a function that the top level calls',
    );
  return texts.map((text) => ({ text }));
}

/** Converts an error to messages of the bundler. An error from a failed bundling already has messages. */
function messagesOf(error: unknown): PartialMessage[] {
  const { errors } = error as { readonly errors?: PartialMessage[] };
  if (errors) return errors;
  if (!(error instanceof ServerError)) throw error;
  const problems = error.problems.map(({ problem, fix, code }) => `  ${problem}\n  Fix: ${fix} [${code}]`);
  return [{ text: [error.message, ...problems].join('\n'), detail: error }];
}

import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { init, parse } from 'es-module-lexer';
import { type Bundle, type BundleOptions, META } from './bundle.js';
import { startAside } from './start-aside.js';
import { TARGETS } from './targets.js';

/*
 * Most of the time in which a program starts, the engine compiles it. What it has compiled it can hand out, and take in again when it is the
 * same version; another version finds out and compiles the text. Modules cannot be had in this way in all versions of Node, so the program is
 * a function in a script, which the module that is built runs.
 */

/** How long a program may take until it has made its apps, in milliseconds. */
const LIMIT_MS = 30_000;

/**
 * The same program, with its code as this version of Node compiles it.
 *
 * @returns `undefined` when it cannot be had: for other targets, and for programs that import packages which are outside.
 */
export async function withCodeCache(
  { script, output }: Bundle,
  { target, out }: BundleOptions,
): Promise<{ readonly code: string; readonly map: undefined } | undefined> {
  const isModule = output.imports.some(
    ({ kind, external, path }) => kind === 'import-statement' && external && !isBuiltin(path),
  );
  if (target !== TARGETS.node || isModule) return undefined;
  const text = `(async function (${META}) { "use strict";\n${await withoutImports(script)}\n})`;
  if (!isScript(text)) return undefined;
  const cache = await compiledBy(text, out);
  if (cache === undefined) return undefined;
  return { code: moduleOf(text, out, `cachedData: Buffer.from('${cache}', 'base64')`, ''), map: undefined };
}

/** Code whose imports are calls of what it is given: engines do not let code that they were handed import. */
async function withoutImports(script: string): Promise<string> {
  await init;
  const [imports] = parse(script);
  let [code, end] = ['', 0];
  for (const { ss, d } of imports) {
    if (d < 0) continue;
    code += `${script.slice(end, ss)}${META}.import`;
    end = ss + 'import'.length;
  }
  return code + script.slice(end);
}

/** Whether a program can do without being a module. */
function isScript(text: string): boolean {
  try {
    return new Script(text) !== undefined;
  } catch {
    return false;
  }
}

/** @param out names the code in stacks: engines keep the name that they compiled it under. */
function moduleOf(text: string, out: string, options: string, before: string): string {
  return `const vm = process.getBuiltinModule('node:vm');
const script = new vm.Script(${asciiString(text)}, { filename: ${JSON.stringify(basename(out))}, ${options} });
${before}await script.runInThisContext()({ url: import.meta.url, import: (name, options) => import(name, options) });
`;
}

/** A string as code. Engines read text that has no other characters in half the time. */
function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Has the apps of a program made, but not their services, and then asks for the code that was compiled for that. */
async function compiledBy(text: string, out: string): Promise<string | undefined> {
  const path = join(dirname(out), `.${basename(out)}.${process.pid}.mjs`);
  const answer = `${path}.cache`;
  const before = `
process.once('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(answer)}, script.createCachedData()));
const compiling = [];
globalThis[Symbol.for('sigil:build-record')] = {
  madeApp: ({ schemas }) => compiling.push(schemas.warm()),
  discovered: () => undefined,
  serves: () => Promise.all(compiling).then(() => process.exit(0)),
};
`;
  const running = await startAside(path, `${moduleOf(text, out, '', before)}\nprocess.exit(0);\n`, {
    files: [answer],
    variables: { MCP_TRANSPORT: 'stdio' },
  });
  try {
    await running.ended(LIMIT_MS);
    return (await readFile(answer)).toString('base64');
  } catch {
    return undefined;
  } finally {
    running.forget();
  }
}

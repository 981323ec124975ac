import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import { brotliCompressSync } from 'node:zlib';
import { init, parse } from 'es-module-lexer';
import { ServerError } from '../failures.js';
import { type Bundle, type BundleOptions, META } from './bundle.js';
import { startAside } from './start-aside.js';
import { TARGETS } from './targets.js';

/*
 * Most of the time in which a program starts, the engine compiles it. What it has compiled it can hand out, and take in again when it is the
 * same version; another version finds out and compiles the text. Modules cannot be had in this way in all versions of Node, so the program is
 * a function in a script, which the file that is built runs. What a program imports as text, because it seldom needs it, is beside both.
 *
 * Node starts CommonJS sooner than an ES module: it decodes the file faster, and loads nothing that links modules.
 */

/** How long a program may take until it has made its apps, in milliseconds. */
const LIMIT_MS = 30_000;
/** Ends one that is loaded, unless it has made no app: in a function that nothing waits for, it still will, and then wants to serve. */
const WHEN_LOADED =
  'if (compiling.length > 0) process.exit(0); setTimeout(() => process.exit(0), 5_000).unref();';
/** What an import of text begins with. Text that is asked for when it is needed is no part of the code. */
const TEXT_IMPORT = /^["']data:text\/javascript,["'] ?\+ ?encodeURIComponent\((?<literal>[^]*)\)$/;
const START = '(async function';

/** A program as a function in a script. */
interface ProgramScript {
  readonly code: string;
  /** Parts of it that are imported as text, by the number that it asks for. */
  readonly texts: readonly string[];
}

/** A file of a program that is a function in a script. */
export interface ScriptFile {
  readonly code: string;
  readonly map: undefined;
  /** Whether the code is in it as this version of Node compiles it, too. */
  readonly cached: boolean;
}

/** Whether a file is CommonJS by its name. */
export function isCommonJs(out: string): boolean {
  return out.endsWith('.cjs');
}

/**
 * The same program as a function in a script, with its code as this version of Node compiles it.
 *
 * @returns `undefined` when it stays an ES module: for other targets, and when the compiled code cannot be had.
 * @throws ServerError when a file that is to be CommonJS needs what ES modules alone have.
 */
export async function asScript(
  { script }: Bundle,
  { cwd, target, out }: BundleOptions,
): Promise<ScriptFile | undefined> {
  if (target !== TARGETS.node) return undefined;
  // What reads imports knows nearly all of them.
  const program = await scriptOf(script).catch(() => undefined);
  if (!program || !isScript(program.code)) {
    if (!isCommonJs(out)) return undefined;
    throw new ServerError(
      `${relative(cwd, out)} cannot be CommonJS: the program has what ES modules alone have, such as import.meta.resolve. Have one written: --out ${relative(cwd, out).replace(/\.cjs$/, '.mjs')}`,
    );
  }
  const cache = await compiledBy(program, out);
  if (cache === undefined && !isCommonJs(out)) return undefined;
  return { code: fileOf(program, cache, out), map: undefined, cached: cache !== undefined };
}

/** A program as a function, whose imports are calls of what it is given: engines do not let code that they were handed import. */
export async function scriptOf(script: string): Promise<ProgramScript> {
  await init;
  const texts: string[] = [];
  // As of an ES module, what is outside runs before the program.
  const outside: string[] = [];
  let [code, end] = ['', 0];
  for (const { ss, se, s, e, d, n } of parse(script)[0]) {
    const isStatement = d === -1;
    const isMeta = d === -2;
    if (isMeta) continue;
    code += script.slice(end, ss);
    end = se;
    const { literal } = TEXT_IMPORT.exec(script.slice(s, e))?.groups ?? {};
    if (isStatement)
      outside.push(...importCalls(script.slice(ss + 'import'.length, s - 1), JSON.stringify(n)));
    else if (literal !== undefined) {
      code += `${META}.importText(${texts.length})`;
      texts.push(String(runInNewContext(literal)));
    } else {
      code += `${META}.import`;
      end = ss + 'import'.length;
    }
  }
  const imports = outside.length === 0 ? '' : [EXPORTED, ...outside, ''].join('\n');
  return { code: `${START} (${META}) { "use strict";\n${imports}${code}${script.slice(end)}\n})`, texts };
}

/** Refuses a name that a package does not export, as Node does for ES modules. */
const EXPORTED = `const __sigilExported = (name, module, names) => {
  for (const one of names) if (!(one in module)) throw new SyntaxError(\`The requested module '\${name}' does not provide an export named '\${one}'\`);
  return module;
};`;
/** What stands between `import` and the package. */
const CLAUSE =
  /^\s*(?<standard>[^\s,{*]+)?[\s,]*(?:\*\s*as\s+(?<whole>\S+)|\{(?<names>[^]*)\})?\s*(?:from\s*)?$/;
const NAME =
  /(?<exported>(?<quote>["'])(?:(?!\k<quote>|\\).|\\.)*\k<quote>|[^\s,"']+)(?:\s*\bas\s+(?<name>[^\s,]+))?/g;

/** An import statement, as the bundler writes it, as statements that a function may have. @param source the package, as code. */
function importCalls(clause: string, source: string): string[] {
  const { standard, whole, names = '' } = CLAUSE.exec(clause)?.groups ?? {};
  const call = `await ${META}.import(${source})`;
  const named = [...names.matchAll(NAME)].map(({ groups }) => groups ?? {});
  if (standard !== undefined) named.push({ exported: 'default', name: standard });
  const parts = named.map(({ exported = '', name = exported }) => `${exported}: ${name}`);
  const keys = named.map(({ exported = '' }) => (/^["']/.test(exported) ? exported : `"${exported}"`));
  const calls = whole === undefined ? [] : [`const ${whole} = ${call};`];
  if (named.length > 0)
    calls.push(`const { ${parts.join(', ')} } = __sigilExported(${source}, ${call}, [${keys.join(', ')}]);`);
  return calls.length > 0 ? calls : [`${call};`];
}

/** Whether a program can do without being a module. */
function isScript(text: string): boolean {
  try {
    return new Script(text) !== undefined;
  } catch {
    return false;
  }
}

/** What differs between the files that run a program: what they know of themselves, and how they wait for it. */
const FORMS = {
  module: {
    url: 'import.meta.url',
    wait: 'await program;',
  },
  // What fails at the top of an ES module is no rejection that a program could listen to, and one that never settles ends it with this code.
  commonJs: {
    url: "require('node:url').pathToFileURL(__filename).href",
    wait: `const unsettled = () => {
  process.exitCode ??= 13;
  console.error('Warning: the program ended while it awaited, at its top, what never settles');
};
process.once('beforeExit', unsettled);
// Awaited here, so that stacks end in this file by its whole path: some packages look from there for others.
(async () => { await program; })()
  .finally(() => process.off('beforeExit', unsettled))
  .catch((error) => process.nextTick(() => { throw error; }));`,
  },
} as const;

/** Statements that run a program. @param out names it in stacks: engines keep the name that they compiled it under. */
function running(
  out: string,
  { url, wait }: (typeof FORMS)[keyof typeof FORMS],
  code: string,
  options: string,
  textOf: string,
): string {
  return `const script = new (process.getBuiltinModule('node:vm').Script)(${code}, { filename: ${JSON.stringify(basename(out))}, ${options} });
const program = script.runInThisContext()({
  url: ${url},
  import: (name, options) => import(name, options),
  importText: (number) => import('data:text/javascript,' + encodeURIComponent(${textOf}))
});
${wait}
`;
}

const FILE_START = 'function file() {/*';

/**
 * A file that has its code in a comment of a function, which knows its own text: engines pass over a comment in a fraction of the time that
 * a string takes, and copy nothing. What is seldom asked for is compressed, because Node decodes all of a file before it begins.
 */
function fileOf({ code, texts }: ProgramScript, cache: Buffer | undefined, out: string): string {
  const form = FORMS[isCommonJs(out) ? 'commonJs' : 'module'];
  const stored = [
    // A sign more keeps it from ending the comment.
    code.replace(/\*(\u0001*)\//g, '*\u0001$1/'),
    cache?.toString('base64') ?? '',
    ...texts.map((text) => brotliCompressSync(text).toString('base64')),
  ];
  let end = FILE_START.length;
  const places = stored.map((text) => [end, (end += text.length)]);
  return `${FILE_START}${stored.join('')}*/}
const places = ${JSON.stringify(places)};
const stored = (place) => file.toString().slice(...places[place]);
const bytes = (place) => Buffer.from(stored(place), 'base64');
const code = stored(0).replace(/\\*\\x01(\\x01*)\\//g, '*$1/');
if (!code.startsWith('${START}')) throw new Error('This file was changed after sigil build wrote it: build it again');
${running(out, form, 'code', cache ? 'cachedData: bytes(1)' : '', "process.getBuiltinModule('node:zlib').brotliDecompressSync(bytes(number + 2)).toString()")}`;
}

/** An app whose requests need none of the program's services. */
const ANOTHER_APP = `{ name: 'another', version: '1.0.0', definitions: [{
  definition: { kind: 'tool', name: 'tool', description: 'A tool' },
  input: { type: 'object', properties: { value: { type: 'string' } } },
  handle: ({ value }) => ({ value }),
  guards: [], middleware: [], scopes: [], errors: []
}] }`;
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'build', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
/** What clients begin with. */
const REQUESTS = [
  ['server/discover', MODERN],
  ['tools/list', MODERN],
  ['tools/call', { name: 'tool', arguments: { value: 'a' }, ...MODERN }],
]
  .map(([method, params], id) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  .join('');

/**
 * Has the apps of a program made, but not their services, has another app answer requests, and then asks for the code that was compiled
 * for that.
 */
async function compiledBy({ code, texts }: ProgramScript, out: string): Promise<Buffer | undefined> {
  const path = join(dirname(out), `.${basename(out)}.${process.pid}.mjs`);
  const answer = `${path}.cache`;
  const asking = `
process.once('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(answer)}, script.createCachedData()));
const record = Symbol.for('sigil:build-record');
const compiling = [];
let another, answering;
const answer = async () => {
  await Promise.all(compiling);
  delete globalThis[record];
  const app = await another(${ANOTHER_APP});
  // It ends with its input.
  await app.run();
};
globalThis[record] = {
  madeApp: ({ schemas, createApp }) => { another ??= createApp; compiling.push(schemas.warm()); },
  discovered: () => undefined,
  serves: () => {
    answering ??= answer().catch(() => process.exit(0));
    return new Promise(() => undefined);
  },
};
`;
  const module = `${asking}${running(out, FORMS.module, JSON.stringify(code), '', `${JSON.stringify(texts)}[number]`)}${WHEN_LOADED}\n`;
  const started = await startAside(path, module, {
    files: [answer],
    variables: { MCP_TRANSPORT: 'stdio' },
    input: REQUESTS,
  });
  try {
    await started.ended(LIMIT_MS);
    return await readFile(answer);
  } catch {
    return undefined;
  } finally {
    started.forget();
  }
}

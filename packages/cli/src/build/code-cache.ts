import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import { brotliCompressSync } from 'node:zlib';
import { init, parse } from 'es-module-lexer';
import { type Bundle, type BundleOptions, META } from './bundle.js';
import { startAside } from './start-aside.js';
import { TARGETS } from './targets.js';

/*
 * Most of the time in which a program starts, the engine compiles it. What it has compiled it can hand out, and take in again when it is the
 * same version; another version finds out and compiles the text. Modules cannot be had in this way in all versions of Node, so the program is
 * a function in a script, which the module that is built runs. What a program imports as text, because it seldom needs it, is beside both.
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
  const program = await scriptOf(script);
  if (!isScript(program.code)) return undefined;
  const cache = await compiledBy(program, out);
  return cache === undefined ? undefined : { code: moduleOf(program, cache, out), map: undefined };
}

/** A program as a function, whose imports are calls of what it is given: engines do not let code that they were handed import. */
export async function scriptOf(script: string): Promise<ProgramScript> {
  await init;
  const texts: string[] = [];
  let [code, end] = ['', 0];
  for (const { ss, se, s, e, d } of parse(script)[0]) {
    if (d < 0) continue;
    code += script.slice(end, ss);
    const { literal } = TEXT_IMPORT.exec(script.slice(s, e))?.groups ?? {};
    if (literal !== undefined) {
      code += `${META}.importText(${texts.length})`;
      texts.push(String(runInNewContext(literal)));
    } else code += `${META}.import`;
    end = literal === undefined ? ss + 'import'.length : se;
  }
  return { code: `${START} (${META}) { "use strict";\n${code}${script.slice(end)}\n})`, texts };
}

/** Whether a program can do without being a module. */
function isScript(text: string): boolean {
  try {
    return new Script(text) !== undefined;
  } catch {
    return false;
  }
}

/** Statements that run a program. @param out names it in stacks: engines keep the name that they compiled it under. */
function running(out: string, code: string, options: string, textOf: string): string {
  return `const script = new (process.getBuiltinModule('node:vm').Script)(${code}, { filename: ${JSON.stringify(basename(out))}, ${options} });
await script.runInThisContext()({
  url: import.meta.url,
  import: (name, options) => import(name, options),
  importText: (number) => import('data:text/javascript,' + encodeURIComponent(${textOf}))
});
`;
}

/**
 * A module that reads its code from a comment of its own file: engines pass over a comment in a fraction of the time that a string takes.
 * What is seldom asked for is compressed, because Node decodes all of a file before it begins.
 */
function moduleOf({ code, texts }: ProgramScript, cache: Buffer, out: string): string {
  const stored = [
    // A sign more keeps it from ending the comment.
    code.replace(/\*(\u0001*)\//g, '*\u0001$1/'),
    cache.toString('base64'),
    ...texts.map((text) => brotliCompressSync(text).toString('base64')),
  ];
  let end = 0;
  const places = stored.map((text) => [end, (end += Buffer.byteLength(text))]);
  const head = (length: number): string =>
    // A number that is always as long, or the length would depend on itself.
    `const read = () => process.getBuiltinModule('node:fs').readFileSync(new URL(import.meta.url)).subarray(${String(length).padEnd(9)});
const places = ${JSON.stringify(places)};
const stored = (file, place) => file.toString('utf8', ...places[place]);
const bytes = (file, place) => Buffer.from(stored(file, place), 'base64');
const file = read();
const code = stored(file, 0).replace(/\\*\\x01(\\x01*)\\//g, '*$1/');
if (!code.startsWith('${START}')) throw new Error('This file was changed after sigil build wrote it: build it again');
${running(out, 'code', 'cachedData: bytes(file, 1)', "process.getBuiltinModule('node:zlib').brotliDecompressSync(bytes(read(), number + 2)).toString()")}/*`;
  return `${head(head(0).length)}${stored.join('')}*/\n`;
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
  const module = `${asking}${running(out, JSON.stringify(code), '', `${JSON.stringify(texts)}[number]`)}${WHEN_LOADED}\n`;
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

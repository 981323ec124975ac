import { readFileSync } from 'node:fs';
import { messageOf, pagesOf } from '@sigil/core/internal';
import type { Manifest, ManifestParts } from '@sigil/core/manifest';
import { METHODS } from '@sigil/core/transport';
import { ServerError, UsageError } from '../failures.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../json.js';
import { inOneLine, jsonText } from '../terminal.js';
import { AnsweredError, type Connection, greet } from './connection.js';
import type { AskedServer } from './asked-server.js';
import { type AskOptions, askProgram, type ServerAddress } from './program.js';

/**
 * Returns the manifest of a server. A Sigil program prints its manifest and ends. Any other server receives requests
 * for its lists, such as `tools/list`.
 *
 * @param server the path of the server's program, a command line, or a URL.
 * @param options how long the server may take.
 * @throws UsageError if there is no such program.
 * @throws ServerError when the server fails, or does not answer in time.
 * @example
 * ```ts
 * const manifest = await manifestOfProgram('dist/main.js', { timeoutMs: 10_000 });
 * ```
 */
export function manifestOfProgram(server: ServerAddress, options: AskOptions): Promise<Manifest> {
  return askProgram(server, { SIGIL_INSPECT: 'manifest' }, options, (program) => {
    const given = program.first((message) => (hasFormat(message) ? message : undefined)).then(checked);
    return Promise.race([given, listedManifest(program, options)]);
  });
}

/**
 * Reads a manifest from a file whose name ends in `.json`, or gets the manifest of a server.
 *
 * @throws UsageError if there is no such file, or if the file is not a manifest.
 * @throws ServerError if the program fails, or does not answer in time.
 */
export async function manifestFrom(source: ServerAddress, options: AskOptions): Promise<Manifest> {
  return typeof source === 'string' && source.endsWith('.json')
    ? readManifestFile(source)
    : manifestOfProgram(source, options);
}

/**
 * The format of manifests that this version reads. It is written out here, because the constant is in a module that
 * loads the framework.
 */
const FORMAT: Manifest['format'] = 'sigil-manifest/1';

/** Whether a value is a manifest. */
function hasFormat(value: unknown): value is JsonObject & Pick<Manifest, 'format'> {
  return isObject(value) && value['format'] === FORMAT;
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isOptionalString: Check = (value) => value === undefined || isString(value);

/** The members of list entries that commands read, by list. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  tools: { name: isString, description: isOptionalString, inputSchema: isObject },
  resources: { uri: isString, name: isOptionalString, description: isOptionalString },
  resourceTemplates: { uriTemplate: isString, name: isOptionalString, description: isOptionalString },
  prompts: {
    name: isString,
    description: isOptionalString,
    arguments: (value) =>
      value === undefined || (Array.isArray(value) && value.every((one) => isString(objectOf(one)['name']))),
  },
};

/** Checks a manifest from a server. @throws ServerError if commands cannot read it. */
function checked<T extends JsonObject>(parts: T): T & ManifestParts {
  if (isWhole(parts)) return parts;
  throw new ServerError(`the lists of the server are wrong: ${faultOf(parts)}`);
}

function isWhole<T extends JsonObject>(parts: T): parts is T & ManifestParts {
  return faultOf(parts) === undefined;
}

/** Returns the first problem in a manifest; `undefined` if there is none. */
function faultOf(manifest: JsonObject): string | undefined {
  const { server, capabilities } = manifest;
  if (!isObject(server) || !isString(server['name']) || !isString(server['version']))
    return '"server" has no "name" and "version"';
  if (!isObject(capabilities)) return '"capabilities" is not an object';
  for (const [list, members] of Object.entries(MEMBERS)) {
    const entries = manifest[list];
    if (!Array.isArray(entries)) return `"${list}" is not a list`;
    for (const [at, entry] of entries.entries())
      for (const [member, isRight] of Object.entries(members))
        if (!isRight(objectOf(entry)[member])) {
          const { name } = objectOf(entry);
          const named = isString(name) ? ` (${inOneLine(String(name))})` : '';
          return `${list}[${at}]${named} has no valid "${member}"`;
        }
  }
  return undefined;
}

/** Returns the text of a manifest file. */
export function manifestText(manifest: Manifest): string {
  return `${jsonText(manifest, 2)}\n`;
}

/**
 * Reads the manifest in a file that `sigil manifest` has written.
 *
 * @param path the path of the file.
 * @throws UsageError when the file cannot be read, or contains no manifest.
 * @example
 * ```ts
 * const { tools } = readManifestFile('manifest.json');
 * ```
 */
export function readManifestFile(path: string): Manifest {
  const manifest = parseJson(read(path));
  if (!hasFormat(manifest))
    throw new UsageError(`${path} is not a manifest: it must contain "format": "${FORMAT}"`);
  if (isWhole(manifest)) return manifest;
  throw new UsageError(`${path} is not a valid manifest: ${faultOf(manifest)}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Maximum number of pages of one list, so that a server cannot list without end. */
const MOST_PAGES = 10_000;

/** Creates the manifest of any MCP server from its lists, as a client without a principal sees them. */
async function listedManifest(program: AskedServer, { onRefused }: AskOptions): Promise<Manifest> {
  const { connection, server, capabilities, instructions } = await greet(program);
  const list = (feature: string, method: string, member: string): Promise<unknown[]> =>
    feature in capabilities
      ? everyPage(connection, method, member).catch((error: unknown) => {
          if (!onRefused || !(error instanceof AnsweredError)) throw error;
          onRefused(method, error.said);
          return [];
        })
      : Promise.resolve([]);
  const parts = {
    server: { ...server, name: textOf(server['name']), version: textOf(server['version']) },
    ...(typeof instructions === 'string' ? { instructions } : {}),
    capabilities,
    tools: await list('tools', METHODS.listTools, 'tools'),
    resources: await list('resources', METHODS.listResources, 'resources'),
    resourceTemplates: await list('resources', METHODS.listTemplates, 'resourceTemplates'),
    prompts: await list('prompts', METHODS.listPrompts, 'prompts'),
  };
  // Only loaded for servers that are not made with Sigil, because it loads the framework.
  const { arrangeManifest } = await import('@sigil/core/manifest');
  return arrangeManifest(checked(parts));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the entries of a list, from all pages. */
export async function everyPage(
  connection: Connection,
  method: string,
  member: string,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let left = MOST_PAGES;
  const pages = pagesOf(
    (params) => connection.request(method, params),
    () => new ServerError(`the server returned the same cursor for ${method} twice`),
  );
  for await (const { [member]: listed } of pages) {
    if (!Array.isArray(listed)) throw new ServerError(`the answer to ${method} has no list "${member}"`);
    for (const [at, entry] of listed.entries()) {
      if (!isObject(entry))
        throw new ServerError(`${member}[${at}] in the answer to ${method} is not an object`);
      entries.push(entry);
    }
    if (left-- === 0) throw new ServerError(`${method} has more than ${MOST_PAGES} pages`);
  }
  return entries;
}

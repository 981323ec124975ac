import { readFileSync } from 'node:fs';
import { messageOf, pagesOf } from '@sigil/core/internal';
import type { Manifest, ManifestParts } from '@sigil/core/manifest';
import { METHODS } from '@sigil/core/transport';
import { ServerError, UsageError } from '../failures.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { jsonText } from '../terminal.js';
import { AnsweredError, type Connection, greet } from './connection.js';
import type { AskedServer } from './asked-server.js';
import { type AskOptions, askProgram, type ServerAddress } from './program.js';

/**
 * The manifest of a server: a Sigil program prints it and ends; any other serves as usual, and is asked for its lists.
 *
 * @param server the path of its program, a command line, or a URL.
 * @param options how long it may take.
 * @throws UsageError if there is no such program.
 * @throws ServerError when it fails, or does not answer in time.
 * @example
 * ```ts
 * const manifest = await manifestOfProgram('dist/main.js', { timeoutMs: 10_000 });
 * ```
 */
export function manifestOfProgram(server: ServerAddress, options: AskOptions): Promise<Manifest> {
  return askProgram(server, { SIGIL_INSPECT: 'manifest' }, options, (program) => {
    const given = program.first((message) => (isManifest(message) ? message : undefined));
    return Promise.race([given, listedManifest(program, options)]);
  });
}

/**
 * The manifest in a file whose name ends in `.json`, or else of the given server.
 *
 * @throws UsageError if there is no such file, or if it is not a manifest.
 * @throws ServerError when the program fails, or does not answer in time.
 */
export async function manifestFrom(source: ServerAddress, options: AskOptions): Promise<Manifest> {
  return typeof source === 'string' && source.endsWith('.json')
    ? readManifestFile(source)
    : manifestOfProgram(source, options);
}

/** The format of manifests that this version reads. Written out here: the value is in a module that loads the framework. */
const FORMAT: Manifest['format'] = 'sigil-manifest/1';

/** Whether something is a manifest. */
function isManifest(value: unknown): value is Manifest {
  return isObject(value) && value['format'] === FORMAT;
}

/** A manifest as a file holds it. */
export function manifestText(manifest: Manifest): string {
  return `${jsonText(manifest, 2)}\n`;
}

/**
 * Reads the manifest that a file holds, as `sigil manifest` has written it.
 *
 * @param path the path of the file.
 * @throws UsageError when the file cannot be read, or holds no manifest.
 * @example
 * ```ts
 * const { tools } = readManifestFile('manifest.json');
 * ```
 */
export function readManifestFile(path: string): Manifest {
  const manifest = parseJson(read(path));
  if (isManifest(manifest)) return manifest;
  throw new UsageError(`${path} is no manifest: it should hold "format": "${FORMAT}"`);
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

/** The manifest of any MCP server, from its lists for a client without a principal. */
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
  // Loaded only for servers that are not made with Sigil: it brings the framework along.
  const { arrangeManifest } = await import('@sigil/core/manifest');
  return arrangeManifest(parts as ManifestParts);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The entries of a list, from all of its pages. */
export async function everyPage(
  connection: Connection,
  method: string,
  member: string,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let left = MOST_PAGES;
  const pages = pagesOf(
    (params) => connection.request(method, params),
    () => new ServerError(`the pages of ${method} go round in a circle`),
  );
  for await (const { [member]: listed } of pages) {
    if (!Array.isArray(listed) || !listed.every(isObject))
      throw new ServerError(`the answer to ${method} has no list "${member}"`);
    if (left-- === 0) throw new ServerError(`${method} has more than ${MOST_PAGES} pages`);
    entries.push(...listed);
  }
  return entries;
}

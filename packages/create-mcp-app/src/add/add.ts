import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../failures.js';
import { readChoice, type Said } from '../flags.js';
import type { Host } from '../host.js';
import { dependencyNames, readManifest } from '../package-json.js';
import { writeProject } from '../write-project.js';
import { type AddedNames, namesFrom } from './added-names.js';
import { KIND_NAMES, type KindName, KINDS } from './kinds.js';

/** What was added, for machines and for people. */
export interface Addition {
  readonly json: object;
  readonly lines: readonly string[];
}

/**
 * Adds a class and its test to the project that the host is in. No other file changes: the app serves what it finds in the
 * folders of tools, resources and prompts.
 *
 * @throws Failure when it is called wrongly, or files are there already.
 */
export async function add(said: Said, host: Pick<Host, 'cwd' | 'signal'>): Promise<Addition> {
  const [kindName, names] = readOperands(said.operands);
  const kind = KINDS[kindName];
  const project = findProject(host.cwd);
  const module = `${kind.folder}/${names.kebab}`;
  const { source, test } = kind.files(names, `../../src/${module}.js`);
  const written = new Map([
    [`src/${module}.ts`, source],
    [`test/${module}.test.ts`, test],
  ]);
  const paths = [...written.keys()];
  if (!said.has('force')) refuseToReplace(project, paths);
  const isDry = said.has('dry-run');
  if (!isDry) await writeProject(project, written, host.signal);
  const { className, method } = names;
  return {
    json: { ...(isDry ? { dryRun: true } : {}), kind: kindName, className, files: paths },
    lines: [
      ...paths.map((path) => `${isDry ? 'Would write' : 'Wrote'} ${path}`),
      kind.isServed
        ? `Compile it: an app that discovers its services then serves ${className}`
        : `Inject it where it is needed: constructor(private readonly ${method}: ${className}) {}`,
    ],
  };
}

function readOperands([kind, name, extra]: readonly string[]): [KindName, AddedNames] {
  if (kind === undefined) throw new Failure('USAGE', `say what to add: add ${KIND_NAMES.join('|')} <name>`);
  const kindName = readChoice('kind', kind, KIND_NAMES);
  if (name === undefined) throw new Failure('USAGE', `say how to call it: add ${kind} <name>`);
  if (extra !== undefined) throw new Failure('USAGE', `'${extra}' is one argument too many`);
  return [kindName, namesFrom(name)];
}

function refuseToReplace(project: string, files: readonly string[]): void {
  const there = files.find((file) => existsSync(join(project, file)));
  if (there === undefined) return;
  throw new Failure(
    'FILE_EXISTS',
    `${there} is there already: choose another name, or write over it with --force`,
  );
}

/**
 * The project that a folder is in: the nearest one upward that uses Sigil.
 *
 * @throws Failure `NOT_A_PROJECT` when there is none.
 */
function findProject(folder: string): string {
  const path = join(folder, 'package.json');
  const manifest = existsSync(path) ? readManifest(readFileSync(path, 'utf8')) : undefined;
  if (manifest && dependencyNames(manifest).includes('@sigil/core')) return folder;
  if (dirname(folder) !== folder) return findProject(dirname(folder));
  throw new Failure(
    'NOT_A_PROJECT',
    'no package.json from here upward depends on @sigil/core: run this in a project that create-mcp-app made',
  );
}

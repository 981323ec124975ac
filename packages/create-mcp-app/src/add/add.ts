import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { Failure } from '../failures.js';
import { readChoice, type Said } from '../flags.js';
import type { Host } from '../host.js';
import { dependencyNames, readManifest } from '../package-json.js';
import { writeProject } from '../write-project.js';
import { type AddedNames, namesFrom } from './added-names.js';
import { KIND_NAMES, type KindName, KINDS } from './kinds.js';

/** An added class, for machines and for people. */
export interface Addition {
  readonly json: object;
  readonly lines: readonly string[];
}

/**
 * Adds a class and its test to the host's project. No other file changes: the app discovers classes in its folders of
 * tools, resources and prompts. If the author lists services by hand, the report says what to add there.
 *
 * @throws Failure if the arguments are wrong, or if files exist already.
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
  const next = kind.isServed
    ? howToServe(className, `src/${module}.js`, project)
    : `Inject it where it is needed: constructor(private readonly ${method}: ${className}) {}`;
  return {
    json: { ...(isDry ? { dryRun: true } : {}), kind: kindName, className, files: paths, next },
    lines: [...paths.map((path) => `${isDry ? 'Would write' : 'Wrote'} ${path}`), next],
  };
}

/** The remaining step until clients see a class. @param module its file, as imported from the folder of the project. */
function howToServe(className: string, module: string, project: string): string {
  const list = handWrittenList(project);
  if (list === undefined) return `Compile it: an app that discovers its services then serves ${className}`;
  const path = posix.relative(posix.dirname(list), module);
  const specifier = path.startsWith('.') ? path : `./${path}`;
  return `List it in ${list}: import { ${className} } from '${specifier}'; and services: [${className}, …]`;
}

/** The file in which an author lists services by hand; `undefined` if they are discovered, or if no list is found. */
function handWrittenList(project: string): string | undefined {
  const folder = join(project, 'src');
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.split(sep).join('/')}`)
    .filter((file) => /(?<!\.test|\.spec|\.d)\.m?ts$/.test(file))
    .sort();
  const having = (option: RegExp): string | undefined =>
    files.find((file) => option.test(readFileSync(join(project, file), 'utf8')));
  return having(/\bdiscover\s*[:,]/) === undefined ? having(/\bservices\s*:\s*\[/) : undefined;
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
    `${there} exists already: choose another name, or overwrite it with --force`,
  );
}

/**
 * The project that a folder is in: the nearest one upward that uses Sigil.
 *
 * @throws Failure `NOT_A_PROJECT` if there is none.
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

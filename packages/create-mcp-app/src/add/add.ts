import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { Failure } from '../failures.js';
import { readChoice, type Said } from '../flags.js';
import type { Host } from '../host.js';
import { writeProject } from '../write-project.js';
import type { AddedFiles } from './added-files.js';
import { type AddedNames, namesFrom } from './added-names.js';
import { KIND_NAMES, type KindName, KINDS } from './kinds.js';
import { findProject } from './project.js';

/** The result of `create-mcp-app add`: data for `--json`, and lines of text for the user. */
export interface Addition {
  readonly json: object;
  readonly lines: readonly string[];
}

/**
 * Adds a class and its test to a project. For a view, also adds its page. No other file changes, because the app
 * discovers classes in its folders of tools, resources and prompts. If the project has a handwritten list of services,
 * the report says what to add to that list.
 *
 * @throws Failure if the arguments are invalid, if files exist already, or if the project does not support
 * the class.
 */
export async function add(said: Said, host: Pick<Host, 'cwd' | 'signal'>): Promise<Addition> {
  const [kindName, names] = readOperands(said.operands);
  const kind = KINDS[kindName];
  const project = findProject(host.cwd);
  const added = await kind.filesFor(names, project);
  const paths = [...added.files.keys()];
  if (!said.has('force')) refuseToReplace(project.folder, paths);
  const isDry = said.has('dry-run');
  if (!isDry) await writeProject(project.folder, added.files, host.signal);
  const { className, toSeeIt } = added;
  const next = kind.isServed
    ? [howToServe(added, project.folder), ...(toSeeIt === undefined ? [] : [toSeeIt])]
    : [
        `Inject ${className} where it is needed: constructor(private readonly ${names.method}: ${className}) {}`,
      ];
  return {
    json: {
      ...(isDry ? { dryRun: true } : {}),
      kind: kindName,
      className,
      files: paths,
      next: next.join('. '),
    },
    lines: [...paths.map((path) => `${isDry ? 'Would write' : 'Wrote'} ${path}`), ...next],
  };
}

/** Returns the remaining step until clients see a class. */
function howToServe({ className, module }: AddedFiles, project: string): string {
  const list = handWrittenList(project);
  if (list === undefined)
    return `Compile the project. If the app discovers its services, it then serves ${className}`;
  const path = posix.relative(posix.dirname(list), `src/${module}.js`);
  const specifier = path.startsWith('.') ? path : `./${path}`;
  return `Add the class to ${list}: import { ${className} } from '${specifier}'; and services: [${className}, …]`;
}

/**
 * Returns the file where an author lists services by hand; `undefined` if they are discovered, or if no
 * list is found.
 */
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
  if (kind === undefined)
    throw new Failure('USAGE', `the kind of class is missing: use add ${KIND_NAMES.join('|')} <name>`);
  const kindName = readChoice('kind', kind, KIND_NAMES);
  if (name === undefined)
    throw new Failure('USAGE', `the name of the class is missing: use add ${kind} <name>`);
  if (extra !== undefined) throw new Failure('USAGE', `'${extra}' is one argument too many`);
  return [kindName, namesFrom(name)];
}

function refuseToReplace(project: string, files: readonly string[]): void {
  const there = files.find((file) => existsSync(join(project, file)));
  if (there === undefined) return;
  throw new Failure(
    'FILE_EXISTS',
    `${there} already exists: choose another name, or overwrite it with --force`,
  );
}

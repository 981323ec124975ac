import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failures.js';
import type { Said } from '../flags/flag.js';
import { readChoice } from '../flags/read-choice.js';
import type { Host } from '../host.js';
import { writeProject } from '../project/write-project.js';
import { type AddedNames, namesFrom } from './added-names.js';
import { findProject } from './find-project.js';
import { type Kind, KIND_NAMES, type KindName, KINDS } from './kinds.js';
import { importLine, importsFrom, mentions, registerClass, type Registration } from './register-class.js';

/** What was added, for machines and for people. */
export interface Addition {
  readonly json: object;
  readonly lines: readonly string[];
}

const APP = 'src/app.ts';

/**
 * Adds a class and its test to the project that the host is in, and has the app serve it.
 *
 * @throws Failure when it is called wrongly, files are there already, or `NOT_REGISTERED`: the files are written, and the
 * app has to be changed by hand.
 */
export async function add(said: Said, host: Pick<Host, 'cwd' | 'signal'>): Promise<Addition> {
  const [kindName, names] = readOperands(said.operands);
  const kind = KINDS[kindName];
  const project = findProject(host.cwd);
  const app = existsSync(join(project, APP)) ? readFileSync(join(project, APP), 'utf8') : undefined;
  const module = `${kind.folder}/${names.kebab}`;
  const registration = {
    className: classNameIn(app, names, kindName, `./${module}.js`),
    module: `./${module}.js`,
  };
  const { source, test } = kind.files({ ...names, className: registration.className }, `../src/${module}.js`);
  const files = new Map([
    [`src/${module}.ts`, source],
    [testFileIn(project, names, kindName, `../src/${module}.js`), test],
  ]);
  if (!said.has('force')) refuseToReplace(project, [...files.keys()]);
  const registered = register(app, kind, registration);
  const changed = registered.text === undefined ? files : new Map([...files, [APP, registered.text]]);
  const isDry = said.has('dry-run');
  if (!isDry) await writeProject(project, changed, host.signal);
  if (registered.problem !== undefined)
    throw notRegistered(registered.problem, registration, isDry, [...files.keys()]);
  const written = [...files.keys()];
  const { className } = registration;
  const verb = isDry ? 'Would write' : 'Wrote';
  return {
    json: {
      ...(isDry ? { dryRun: true } : {}),
      kind: kindName,
      className,
      ...(kind.isServed ? { registeredIn: APP } : {}),
      files: written,
    },
    lines: [
      ...written.map((file) => `${verb} ${file}`),
      kind.isServed
        ? `${isDry ? 'Would add' : 'Added'} ${className} to the services of ${APP}`
        : `Inject it where it is needed: constructor(private readonly ${names.method}: ${className}) {}`,
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

/** The class takes its kind into its name when the app knows another of that name. */
function classNameIn(
  app: string | undefined,
  { className }: AddedNames,
  kind: KindName,
  module: string,
): string {
  const isTaken = app !== undefined && mentions(app, className) && !importsFrom(app, module);
  return isTaken ? `${className}${kind.charAt(0).toUpperCase()}${kind.slice(1)}` : className;
}

/** The test takes its kind into its name when there is a test of something else of that name. */
function testFileIn(project: string, { kebab }: AddedNames, kind: KindName, module: string): string {
  const usual = `test/${kebab}.test.ts`;
  const path = join(project, usual);
  const isTaken = existsSync(path) && !importsFrom(readFileSync(path, 'utf8'), module);
  return isTaken ? `test/${kebab}.${kind}.test.ts` : usual;
}

function refuseToReplace(project: string, files: readonly string[]): void {
  const there = files.find((file) => existsSync(join(project, file)));
  if (there === undefined) return;
  throw new Failure(
    'FILE_EXISTS',
    `${there} is there already: choose another name, or write over it with --force`,
  );
}

function register(
  app: string | undefined,
  { isServed }: Kind,
  registration: Registration,
): { readonly text?: string; readonly problem?: string } {
  if (!isServed || (app !== undefined && importsFrom(app, registration.module))) return {};
  if (app === undefined) return { problem: 'it is not there' };
  return registerClass(app, registration);
}

function notRegistered(
  problem: string,
  registration: Registration,
  isDry: boolean,
  files: readonly string[],
): Failure {
  return new Failure(
    'NOT_REGISTERED',
    `${files.join(' and ')} ${isDry ? 'would be' : 'are'} written, but ${APP} was not changed, because ${problem}: add the lines above to where your app is made`,
    [importLine(registration), `services: [ …, ${registration.className}]`],
  );
}

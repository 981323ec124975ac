import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import validate from 'validate-npm-package-name';
import { AUTH_NAMES, type AuthName, UI_NAMES, type UiName } from '../additions.js';
import { Failure } from '../failures.js';
import { DEFAULT_DIRECTORY, readChoice, type Said } from '../flags.js';
import type { Host, Prompter } from '../host.js';
import { PACKAGE_MANAGER_NAMES, packageManagerFrom, type PackageManagerName } from '../package-managers.js';
import { type AllTemplateDetails, TEMPLATE_NAMES, type TemplateName } from '../templates.js';
import { hasProgram } from './run-command.js';

/** The folder and name of a project. */
interface Target {
  /** The absolute path of the folder. */
  readonly directory: string;
  readonly name: string;
}

/** The choices for a new project, such as its folder, name and template. */
export interface Choices extends Target {
  readonly template: TemplateName;
  /** The authentication over HTTP. */
  readonly auth: AuthName;
  /** The framework of the project's view. */
  readonly ui: UiName;
  readonly packageManager: PackageManagerName;
  readonly installs: boolean;
  readonly usesGit: boolean;
  /** Whether existing files may be overwritten. */
  readonly force: boolean;
  readonly local: boolean;
}

/** The inputs of `choose`, besides the command line. */
export interface Choosing {
  readonly host: Pick<Host, 'cwd' | 'env'>;
  /** Asks the user for the choices that the flags leave open. If it is `undefined`, the defaults apply. */
  readonly prompter: Prompter | undefined;
  readonly templates: AllTemplateDetails;
  readonly taken: ReadonlySet<string>;
}

/**
 * Makes all choices for a new project: by flags, else by questions to the user, else by defaults.
 *
 * @throws Failure if the command line is invalid or contradictory; `INTERRUPTED` if the user presses Ctrl-C.
 */
export async function choose(said: Said, choosing: Choosing): Promise<Choices> {
  const { host, prompter } = choosing;
  const [directory, extra] = said.operands;
  if (extra !== undefined) throw new Failure('USAGE', `'${extra}' is one argument too many`);
  const template = said.value('template');
  const chosenTemplate =
    template === undefined ? undefined : readChoice('template', template, TEMPLATE_NAMES);
  const chosenAuth = readAuth(said, chosenTemplate, choosing);
  const ui = readChoice('kind of view', said.value('ui') ?? UI_NAMES[0], UI_NAMES);
  const chosenManager = readManager(said, host);
  const rules: TargetRules = { cwd: host.cwd, force: said.has('force'), taken: choosing.taken };
  const target = await chooseTarget(directory, rules, prompter);
  const decided = chosenTemplate ?? (await askTemplate(choosing, ui, chosenAuth));
  return {
    ...target,
    template: decided,
    // A named template implies its authentication.
    auth: chosenAuth ?? (chosenTemplate === undefined ? await askAuth(choosing, decided) : 'none'),
    ui,
    packageManager: chosenManager ?? (await askManager(choosing)),
    installs: !said.has('no-install'),
    usesGit: !said.has('no-git'),
    force: said.has('force'),
    local: said.has('local'),
  };
}

async function chooseTarget(
  said: string | undefined,
  rules: TargetRules,
  prompter: Prompter | undefined,
): Promise<Target> {
  if (!prompter) return readTarget(said ?? DEFAULT_DIRECTORY, rules);
  if (said !== undefined) {
    try {
      return readTarget(said, rules);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      prompter.warn(error.message);
    }
  }
  const problem = (answer: string): string | undefined => {
    try {
      readTarget(answer, rules);
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return error.message;
      throw error;
    }
  };
  const answer = await prompter.text('Where should it go?', `./${DEFAULT_DIRECTORY}`, problem);
  return readTarget(answer, rules);
}

/** Whether a template supports a value of `--auth`. */
function takes({ templates }: Choosing, template: TemplateName, auth: AuthName): boolean {
  return auth === 'none' || templates[template].auth?.includes(auth) === true;
}

/**
 * Reads `--auth`.
 *
 * @param template the chosen template; by default the first.
 * @throws Failure `USAGE` if the template does not support the value.
 */
function readAuth(said: Said, template: TemplateName | undefined, choosing: Choosing): AuthName | undefined {
  const named = said.value('auth');
  if (named === undefined) return undefined;
  const auth = readChoice('authorization', named, AUTH_NAMES);
  const meant = template ?? (choosing.prompter ? undefined : TEMPLATE_NAMES[0]);
  if (meant === undefined || takes(choosing, meant, auth)) return auth;
  const others = TEMPLATE_NAMES.filter((name) => takes(choosing, name, auth));
  const better = others.map((name) => `--template ${name}`).join(' or ');
  throw new Failure('USAGE', `the template ${meant} does not support --auth ${auth}: use ${better}`);
}

async function askTemplate(choosing: Choosing, ui: UiName, auth: AuthName = 'none'): Promise<TemplateName> {
  const { prompter, templates } = choosing;
  if (!prompter) return TEMPLATE_NAMES[0];
  const fitting = TEMPLATE_NAMES.filter((value) => takes(choosing, value, auth));
  const options = fitting.map((value) => ({ value, hint: templates[value].description }));
  const besides = ui === 'none' ? '' : ', besides the view and its tools';
  return prompter.choice(`What should it begin with${besides}?`, options);
}

const AUTH_HINTS: Readonly<Record<AuthName, string>> = {
  none: 'No login: for programs on this machine, or for clients with a shared token',
  oauth: 'Users log in at an authorization server, with OAuth',
};

async function askAuth(choosing: Choosing, template: TemplateName): Promise<AuthName> {
  const fitting = AUTH_NAMES.filter((value) => takes(choosing, template, value));
  if (!choosing.prompter || fitting.length < 2) return 'none';
  const options = fitting.map((value) => ({ value, hint: AUTH_HINTS[value] }));
  return choosing.prompter.choice('Who may call it over HTTP?', options);
}

/** Reads `--pm`. @throws Failure `NO_PACKAGE_MANAGER` if the package manager is needed and not installed. */
function readManager(said: Said, { env }: Choosing['host']): PackageManagerName | undefined {
  const named = said.value('pm');
  if (named === undefined) return packageManagerFrom(env['npm_config_user_agent']);
  const name = readChoice('package manager', named, PACKAGE_MANAGER_NAMES);
  if (said.has('no-install') || hasProgram(name, env)) return name;
  throw new Failure(
    'NO_PACKAGE_MANAGER',
    `${name} is not installed: run npm install --global ${name}, or choose --pm npm`,
  );
}

async function askManager({ prompter, host }: Choosing): Promise<PackageManagerName> {
  const there = PACKAGE_MANAGER_NAMES.filter((name) => hasProgram(name, host.env));
  if (!prompter || there.length < 2) return there[0] ?? 'npm';
  return prompter.choice(
    'Which package manager?',
    there.map((value) => ({ value })),
  );
}

/** The rules for a target. */
interface TargetRules {
  readonly cwd: string;
  readonly force: boolean;
  /** Names that the project must not have, because its packages have them. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The target of a project, from the command line. The name of the folder is the name of the project.
 *
 * @throws Failure `INVALID_NAME` if npm would refuse that name, `FOLDER_NOT_EMPTY` if the folder has files.
 */
function readTarget(said: string, { cwd, force, taken }: TargetRules): Target {
  const directory = resolve(cwd, said);
  const name = basename(directory);
  const problem = nameProblem(name, taken);
  if (problem) {
    const { why, suggestion } = problem;
    const better =
      directory === cwd ? `./${suggestion}` : nearby(cwd, resolve(dirname(directory), suggestion));
    throw new Failure('INVALID_NAME', `'${name}' ${why}: use ${better}`);
  }
  const occupants = force ? [] : occupantsOf(directory);
  if (occupants.length > 0) {
    const what = directory === cwd ? 'this folder' : nearby(cwd, directory);
    throw new Failure(
      'FOLDER_NOT_EMPTY',
      `${what} is not empty (${fewOf(occupants)}): choose another folder, or use --force`,
    );
  }
  return { directory, name };
}

/** Returns a path relative to the folder `cwd`, or the absolute path if it is shorter. */
export function nearby(cwd: string, path: string): string {
  const way = relative(cwd, path);
  return way === '' ? '.' : way.startsWith('..') && way.length > path.length ? path : way;
}

/** The reason why a project name is not valid, and a similar name that is valid. */
export interface NameProblem {
  readonly why: string;
  readonly suggestion: string;
}

/**
 * Checks whether npm accepts a name for a new package.
 *
 * @param taken the names of packages that the project will use. npm does not install a package into a project with the
 * same name.
 * @returns why the name is not valid, with a valid suggestion; `undefined` if the name is valid.
 */
export function nameProblem(name: string, taken: ReadonlySet<string>): NameProblem | undefined {
  const suggestion = (): string => suggest(name, taken);
  if (taken.has(name))
    return { why: 'is the name of a package that the project uses', suggestion: suggestion() };
  if (!validate(name).validForNewPackages)
    return { why: 'is not a valid npm name', suggestion: suggestion() };
  return undefined;
}

function suggest(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '');
  const fits = (candidate: string): boolean =>
    validate(candidate).validForNewPackages && !taken.has(candidate);
  return plain === '' ? DEFAULT_DIRECTORY : ([plain, `${plain}-server`].find(fits) ?? DEFAULT_DIRECTORY);
}

/** Files that may exist in an empty folder: those of a new repository, and of file managers. */
const IGNORED: ReadonlySet<string> = new Set(['.git', '.DS_Store', 'Thumbs.db', 'desktop.ini', '.idea']);

/**
 * The files in the folder of a new project, in alphabetical order.
 *
 * @returns nothing when the folder is empty or not there.
 * @throws Failure `WRITE_FAILED` if it is not a folder.
 */
function occupantsOf(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !IGNORED.has(name))
      .sort();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') {
      const what = existsSync(directory)
        ? 'is a file, not a folder'
        : 'cannot be created: a part of its path is a file';
      throw new Failure('WRITE_FAILED', `${directory} ${what}`);
    }
    throw new Failure('WRITE_FAILED', `${directory} cannot be read (${code ?? String(error)})`);
  }
}

/** Returns some of many names, and the number of the others: `a, b, c and 7 more`. */
function fewOf(names: readonly string[], most = 3): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

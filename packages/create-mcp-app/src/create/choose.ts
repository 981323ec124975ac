import { Failure } from '../failures.js';
import type { Said } from '../flags/flag.js';
import { readChoice } from '../flags/read-choice.js';
import type { Host } from '../host.js';
import { hasProgram } from '../process/find-program.js';
import { DEFAULT_DIRECTORY } from '../project/default-directory.js';
import {
  PACKAGE_MANAGER_NAMES,
  packageManagerFrom,
  type PackageManagerName,
} from '../project/package-managers.js';
import { TEMPLATE_NAMES, type TemplateName } from '../template/template-names.js';
import type { AllTemplateFacts } from '../template/template-facts.js';
import type { Prompter } from '../terminal/prompter.js';
import type { Choices, Target } from './choices.js';
import { readTarget, type TargetRules } from './read-target.js';

/** What choosing needs to know beside what was said. */
export interface Choosing {
  readonly host: Pick<Host, 'cwd' | 'env'>;
  /** Whom to ask for what was not said; defaults count where nobody is. */
  readonly prompter: Prompter | undefined;
  readonly templates: AllTemplateFacts;
  readonly taken: ReadonlySet<string>;
}

/**
 * Decides everything about a new project: by flags, then by questions, then by defaults.
 *
 * @throws Failure when what was said makes no sense or cannot be done, `INTERRUPTED` when a question was left.
 */
export async function choose(said: Said, choosing: Choosing): Promise<Choices> {
  const { host, prompter } = choosing;
  const [directory, extra] = said.operands;
  if (extra !== undefined) throw new Failure('USAGE', `'${extra}' is one argument too many`);
  const template = said.value('template');
  const chosenTemplate =
    template === undefined ? undefined : readChoice('template', template, TEMPLATE_NAMES);
  const chosenManager = readManager(said, host);
  const rules: TargetRules = { cwd: host.cwd, force: said.has('force'), taken: choosing.taken };
  const target = await chooseTarget(directory, rules, prompter);
  return {
    ...target,
    template: chosenTemplate ?? (await askTemplate(choosing)),
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

async function askTemplate({ prompter, templates }: Choosing): Promise<TemplateName> {
  if (!prompter) return TEMPLATE_NAMES[0];
  const options = TEMPLATE_NAMES.map((value) => ({ value, hint: templates[value].description }));
  return prompter.choice('What should it begin with?', options);
}

/** @throws Failure `NO_PACKAGE_MANAGER` when it is to install and is not there. */
function readManager(said: Said, { env }: Choosing['host']): PackageManagerName | undefined {
  const named = said.value('pm');
  if (named === undefined) return packageManagerFrom(env['npm_config_user_agent']);
  const name = readChoice('package manager', named, PACKAGE_MANAGER_NAMES);
  if (said.has('no-install') || hasProgram(name, env)) return name;
  throw new Failure(
    'NO_PACKAGE_MANAGER',
    `${name} is not installed: npm install --global ${name}, or choose --pm npm`,
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

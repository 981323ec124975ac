import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, throwIfInterrupted } from '../failures.js';
import type { Said } from '../flags.js';
import type { Host } from '../host.js';
import { withPackageManager } from '../package-managers.js';
import { packagesOfTemplates, readTemplate, type SampleCall, templateDetails } from '../templates.js';
import { type ProjectFiles, writeProject, type WrittenProject } from '../write-project.js';
import { type Choices, choose } from './choose.js';
import { type PackOptions, withLocalPackages } from './local-packages.js';
import { nextCommands, planFor } from './plan.js';
import type { CreationReport } from './report.js';
import { StepLog } from './step-log.js';
import { beginRepository, build, callSample, fillRepository, install, type StepContext } from './steps.js';

/** The call whose result the project's view shows. */
const VIEW_SAMPLE: SampleCall = { tool: 'roll_dice', arguments: { count: 3, sides: 6 } };

/** The steps that have been done. */
interface Finished {
  readonly files: readonly string[];
  readonly answer?: string;
}

/**
 * Creates a project: makes the choices, writes and builds the project, and calls its first tool.
 *
 * @returns the finished steps, or with `--dry-run` the planned ones.
 * @throws Failure if a step fails, or if the command is interrupted. The written files are removed if not all files can
 * be written, or if the command is interrupted. They stay if a later step fails, such as the build.
 */
export async function create(said: Said, host: Host): Promise<CreationReport> {
  const templates = templateDetails();
  if (!said.has('json')) host.prompter?.open('create-mcp-app');
  const asksNothing = said.has('yes') || said.has('json');
  const prompter = asksNothing ? undefined : host.prompter;
  const choices = await choose(said, { host, prompter, templates, taken: packagesOfTemplates() });
  throwIfInterrupted(host.signal);
  const began = performance.now();
  const elapsed = (): number => Math.round(performance.now() - began);
  const plan = planFor(choices, choices.ui === 'none' ? templates[choices.template].sample : VIEW_SAMPLE);
  const next = nextCommands(plan, host.cwd);
  if (said.has('dry-run')) {
    const files = await projectContents(choices, host);
    return { plan, ms: elapsed(), files: [...files.keys()], next };
  }
  const log = new StepLog(host.progress);
  const context: StepContext = { plan, log, cwd: host.cwd, env: host.env, signal: host.signal };
  const finished = await runSteps(context);
  return { plan, ms: elapsed(), next, records: log.records, ...finished };
}

async function runSteps(context: StepContext): Promise<Finished> {
  const { plan, log, signal } = context;
  const { files, project } = await log.run('write', 'Writing files', async () => {
    const contents = await projectContents(plan, context);
    const project = await writeProject(plan.directory, contents, signal);
    return { text: `Wrote ${contents.size} files`, value: { files: [...contents.keys()], project } };
  });
  const begun = beginRepository(context);
  // fillRepository() waits for it later and reports its failure; until then a rejection must not count as unhandled.
  begun.catch(() => undefined);
  const beside: Promise<unknown>[] = [begun];
  const fill = (): Promise<void> => {
    const filled = fillRepository(context, begun);
    beside.push(filled);
    return filled;
  };
  try {
    if (!plan.installs) {
      await fill();
      return { files };
    }
    await install(context);
    const [answer] = await Promise.all([build(context).then(() => callSample(context)), fill()]);
    return { files, answer };
  } catch (error) {
    await Promise.allSettled(beside);
    await undoIfInterrupted(error, project);
    throw error;
  }
}

/**
 * Removes an interrupted project. If a step failed, the project is kept, so that the user can examine it.
 */
async function undoIfInterrupted(error: unknown, project: WrittenProject): Promise<void> {
  if (error instanceof Failure && error.code === 'INTERRUPTED') await project.undo();
}

/**
 * Returns the files of a new project: from its template and its package manager, and packages of a checkout
 * if it uses them.
 *
 * @throws Failure `NO_LOCAL_PACKAGES` if such packages are requested but missing.
 */
async function projectContents(choices: Choices, options: PackOptions): Promise<ProjectFiles> {
  const { directory, template, name } = choices;
  const files = new Map(await readTemplate(template, name, choices));
  // Existing secrets have no other copy.
  if (existsSync(join(directory, '.env'))) files.delete('.env');
  return withLocalPackages(withPackageManager(files, choices.packageManager), choices, options);
}

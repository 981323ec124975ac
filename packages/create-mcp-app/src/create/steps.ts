import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, messageOf } from '../failures.js';
import { packageManager } from '../package-managers.js';
import { callTool } from './call-tool.js';
import { nearby } from './choose.js';
import { type Plan, PROGRAM, type StepName } from './plan.js';
import {
  type Command,
  type CommandResult,
  hasProgram,
  quoted,
  runCommand,
  type RunOptions,
  typed,
} from './run-command.js';
import type { StepLog } from './step-log.js';

/** The shared data of the steps that create a project, such as the plan. */
export interface StepContext {
  readonly plan: Plan;
  readonly log: StepLog;
  /** The working directory of `create-mcp-app`. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Maximum time until a new server answers, in milliseconds. */
const ANSWER_MS = 30_000;
/** Number of output lines of a failed command that are shown. */
const LAST_LINES = 30;

/** Returns the commands of a step; none if the step is not planned. */
function commandsOf({ plan }: StepContext, name: StepName): readonly Command[] {
  return plan.steps.find((step) => step.name === name)?.commands ?? [];
}

/** Installs the project's packages. @throws Failure `INSTALL_FAILED` with the output of the package manager. */
export async function install(context: StepContext): Promise<void> {
  const { plan, log, env } = context;
  const { env: more } = packageManager(plan.packageManager);
  // Development dependencies belong to the project, whatever NODE_ENV says.
  const options = { ...runOptions(context), env: { ...env, ...more, NODE_ENV: 'development' } };
  await log.run('install', `Installing with ${plan.packageManager}`, async (say) => {
    await runEach(context, 'install', { ...options, onLine: say });
    return { text: `Installed with ${plan.packageManager}`, value: undefined };
  });
}

/** Builds the new project. @throws Failure `BUILD_FAILED` with the output of the build. */
export async function build(context: StepContext): Promise<void> {
  await context.log.run('build', 'Building', async (say) => {
    await runEach(context, 'build', { ...runOptions(context), onLine: say });
    return { text: 'Built', value: undefined };
  });
}

/**
 * Starts the built server, and sends it the sample call of the plan.
 *
 * @returns the text of the tool's result.
 * @throws Failure `SAMPLE_FAILED` if the server does not start or answer.
 */
export function callSample(context: StepContext): Promise<string> {
  const { plan, log, signal, env } = context;
  const { sample } = plan;
  const question = `${sample.tool} ${JSON.stringify(sample.arguments)}`;
  return log.run('call', `Calling ${question}`, async () => {
    try {
      const options = {
        cwd: plan.directory,
        env: { ...env, MCP_TRANSPORT: 'stdio' },
        signal,
        timeoutMs: ANSWER_MS,
      };
      const value = await callTool([PROGRAM, '--stdio'], sample, options);
      return { text: `Started it, and called ${question}\n${value}`, value };
    } catch (error) {
      if (error instanceof Failure) throw error;
      const [what = '', ...details] = messageOf(error).split('\n');
      throw new Failure('SAMPLE_FAILED', `the server was built, but ${what}`, details.slice(-LAST_LINES));
    }
  });
}

/** Creates an empty git repository for the project, if the plan includes one. */
export async function beginRepository(context: StepContext): Promise<Repository | undefined> {
  const [init] = commandsOf(context, 'git');
  return init && initRepository(init, runOptions(context));
}

/** Commits the project's files to its new repository, if the plan includes one. */
export async function fillRepository(
  context: StepContext,
  begun: Promise<Repository | undefined>,
): Promise<void> {
  const [, ...commit] = commandsOf(context, 'git');
  if (commit.length === 0) return;
  await context.log.runBeside('git', 'Committing', async () => {
    const repository = await begun;
    if (repository?.state !== 'new') {
      const text = `No git repository: ${repository?.reason ?? 'none was wanted'}`;
      return { text, outcome: 'skipped', value: undefined };
    }
    const committed = await commitAll(commit, runOptions(context));
    const text = committed
      ? 'Committed to a new git repository'
      : 'Made a git repository without a commit, because git has no user.name or no user.email';
    return { text, value: undefined };
  });
}

async function runEach(context: StepContext, name: 'install' | 'build', options: RunOptions): Promise<void> {
  for (const command of commandsOf(context, name)) {
    const result = await start(command, options);
    if (result.exitCode === 0) continue;
    const { directory } = context.plan;
    // Quiet flags would hide the fault from a user who retries by hand.
    const { program, args } = command;
    const again = typed({ program, args: args.filter((arg) => !arg.startsWith('--')) });
    const where = directory === context.cwd ? '' : `cd ${quoted(nearby(context.cwd, directory))} && `;
    const [code, what] =
      name === 'install'
        ? (['INSTALL_FAILED', 'the packages were not installed'] as const)
        : (['BUILD_FAILED', 'the project does not compile'] as const);
    const last = result.output.trimEnd().split('\n').slice(-LAST_LINES);
    throw new Failure(code, `${what}; to try again: ${where}${again}`, last);
  }
}

/** Runs a command. If it cannot be started, the result is that of a failed command. */
async function start(command: Command, options: RunOptions): Promise<CommandResult> {
  try {
    return await runCommand(command, options);
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { exitCode: null, output: messageOf(error), stdout: '' };
  }
}

function runOptions({ plan, env, signal }: StepContext): RunOptions {
  return { cwd: plan.directory, env, signal };
}

/** The result of creating a git repository. */
interface Repository {
  readonly state: 'new' | 'skipped';
  /** The reason why the project has no repository of its own. */
  readonly reason?: string;
}

/** Creates a git repository for a project, unless the project is in one already, or git is not installed. */
async function initRepository(command: Command, options: RunOptions): Promise<Repository> {
  if (!hasProgram('git', options.env)) return { state: 'skipped', reason: 'git is not installed' };
  if (isInRepository(options.cwd)) return { state: 'skipped', reason: 'it is in a git repository already' };
  const { exitCode, output } = await runCommand(command, options);
  return exitCode === 0 ? { state: 'new' } : { state: 'skipped', reason: `git failed: ${output.trim()}` };
}

/**
 * Commits the files of a project.
 *
 * @returns whether that succeeded. Without the name and email address of a user, git does not commit.
 */
async function commitAll(commands: readonly Command[], options: RunOptions): Promise<boolean> {
  for (const command of commands) {
    const { exitCode } = await runCommand(command, options);
    if (exitCode !== 0) return false;
  }
  return true;
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

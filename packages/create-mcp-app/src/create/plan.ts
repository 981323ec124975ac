import { join } from 'node:path';
import { packageManager, runArguments } from '../package-managers.js';
import type { SampleCall } from '../templates.js';
import { type Choices, nearby } from './choose.js';
import { type Command, quoted } from './run-command.js';

/** The steps of creating a project, in order. Each step except `write` is optional. */
export type StepName = 'write' | 'git' | 'install' | 'build' | 'call';

/** A step that creates a part of the project, with the commands that it runs. */
export interface PlannedStep {
  readonly name: StepName;
  /** The commands of the step, which run in the folder of the project. */
  readonly commands: readonly Command[];
}

/** The choices for a new project, with the steps that create it. */
export interface Plan extends Choices {
  readonly steps: readonly PlannedStep[];
  /** The tool call that the last step sends to the new server. */
  readonly sample: SampleCall;
}

/** The path of the server's program within a project. */
export const PROGRAM = 'dist/main.js';

/** Determines the steps that create a project according to the choices. */
export function planFor(choices: Choices, sample: SampleCall): Plan {
  const { packageManager: program, installs, usesGit } = choices;
  const git = (...args: readonly string[]): Command => ({ program: 'git', args });
  const installing: readonly PlannedStep[] = [
    { name: 'install', commands: [{ program, args: packageManager(program).install }] },
    { name: 'build', commands: [{ program, args: runArguments(program, 'build') }] },
    { name: 'call', commands: [{ program: 'node', args: [PROGRAM, '--stdio'] }] },
  ];
  const repository: PlannedStep = {
    name: 'git',
    commands: [
      git('init', '--quiet'),
      git('add', '--all'),
      // Signing could ask for a passphrase, and hooks of other projects have no say in the first commit of this one.
      git('commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message', 'Initial commit'),
    ],
  };
  return {
    ...choices,
    sample,
    steps: [
      { name: 'write', commands: [] },
      ...(usesGit ? [repository] : []),
      ...(installs ? installing : []),
    ],
  };
}

/**
 * Returns the commands that the user runs next, such as `cd my-mcp-server`.
 *
 * @param cwd the folder where the user types the commands.
 */
export function nextCommands(plan: Plan, cwd: string): string[] {
  const { directory, name, template, auth, packageManager, installs } = plan;
  const run = (script: string): string => [packageManager, ...runArguments(packageManager, script)].join(' ');
  return [
    ...(directory === cwd ? [] : [`cd ${quoted(nearby(cwd, directory))}`]),
    ...(installs ? [] : [`${packageManager} install`, run('build')]),
    // It runs until it is ended, as `dev` does, and says that the next command belongs in another terminal.
    ...(auth === 'oauth' ? [run('identity')] : []),
    run('dev'),
    template === 'http' || auth === 'oauth'
      ? `claude mcp add --transport http ${name} ${DEV_ADDRESS}`
      : `claude mcp add ${name} -- node ${quoted(join(directory, PROGRAM))} --stdio`,
  ];
}

/** The address of the server that the script `dev` starts. */
const DEV_ADDRESS = 'http://127.0.0.1:3000/mcp';

import { runArguments } from '../package-managers.js';
import type { Plan } from './plan.js';
import { typed } from './run-command.js';
import type { StepRecord } from './step-log.js';

/** The report of a created or planned project. */
export interface CreationReport {
  readonly plan: Plan;
  /** Milliseconds from the user's last answer until the end of the command. */
  readonly ms: number;
  /** The paths of the project's files. */
  readonly files: readonly string[];
  /** The commands that the user runs next. */
  readonly next: readonly string[];
  /** The results of the steps; absent with `--dry-run`. */
  readonly records?: readonly StepRecord[];
  /** The server's answer to the sample call; absent if the call was not made. */
  readonly answer?: string;
}

/** Returns a report as the object that `--json` prints. */
export function reportJson({ plan, ms, files, next, records, answer }: CreationReport): object {
  const { directory, name, template, auth, ui, packageManager, steps } = plan;
  return {
    ...(records ? { ms } : { dryRun: true }),
    directory,
    name,
    template,
    auth,
    ui,
    packageManager,
    files,
    steps: records ?? steps.map(({ name, commands }) => ({ name, commands: commands.map(typed) })),
    ...(answer === undefined ? {} : { answer }),
    nextCommands: next,
  };
}

/** Returns the lines that `--dry-run` prints: the planned steps and files. */
export function dryRunLines({ plan, files }: CreationReport): string[] {
  const commands = plan.steps.flatMap((step) => step.commands);
  return [
    `Would write ${files.length} files into ${plan.directory}:`,
    ...files.map((file) => `  ${file}`),
    ...(commands.length > 0 ? ['Would run there:', ...commands.map((command) => `  ${typed(command)}`)] : []),
  ];
}

/** Returns the lines that show the commands that the user runs next. */
export function nextLines({ plan, next }: CreationReport): string[] {
  const { ui, packageManager, sample } = plan;
  const dev = [packageManager, ...runArguments(packageManager, 'dev')].join(' ');
  const toSeeTheView = [
    `To see the view: run ${dev}, press o, and call ${sample.tool} in the page that opens.`,
    'The page is in ui/dice. It is built again whenever you save one of its files.',
  ];
  return ['Next:', ...next.map((command) => `  ${command}`), ...(ui === 'none' ? [] : toSeeTheView)];
}

import type { TaskStatus } from '@sigil/core/backend';
import type { ShownTask, TaskListing } from '@sigil/core/internal';
import { EXIT_CODES } from '../failures.js';
import { type Answers, askStore } from '../program/answers.js';
import {
  counted,
  inOneLine,
  type Style,
  styled,
  table,
  type Terminal,
  withCount,
  show,
} from '../terminal.js';
import {
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  mainOf,
  readArguments,
  readChoice,
  readNumber,
  readTimeout,
  SERVER_OPTIONS,
} from './command.js';

const LS_OPTIONS = {
  status: {
    type: 'string',
    value: 'status',
    multiple: true,
    about: 'only tasks with this status; the status failed includes tasks whose result has isError',
  },
  tool: { type: 'string', value: 'name', about: 'only tasks of this tool' },
  limit: { type: 'string', value: 'n', default: '50', about: 'maximum number of entries' },
  ...MAIN_OPTION,
  ...SERVER_OPTIONS,
} as const;

/** The style for each status of a task. */
const STYLES: Readonly<Record<TaskStatus, Style | undefined>> = {
  working: undefined,
  input_required: 'yellow',
  completed: 'green',
  cancelled: 'dim',
  failed: 'red',
};

/** `sigil tasks ls`: lists the tasks in the store of a server. */
export const tasksLs: Command = {
  synopsis: 'tasks ls [<main.js>] [--status <status>]… [--tool <name>] [--limit <n>]',
  purpose: 'list the tasks in the store of a server, the oldest first',
  example: 'tasks ls dist/main.js --status failed',
  options: LS_OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, LS_OPTIONS, [], [MAIN_OPERAND]);
    const limit = readNumber('--limit', values.limit);
    const status = values.status?.map((text) => readChoice('--status', text, STYLES));
    const timeoutMs = readTimeout(values.timeout);
    const which = { status, tool: values.tool, limit };
    const listing = await askStore(mainOf(operands[0], values.main), 'tasks', 'ls', which, { timeoutMs });
    show(terminal, values, listing, () => describeAll(listing, terminal));
    return EXIT_CODES.ok;
  },
};

const ONE_OPTIONS = { ...MAIN_OPTION, ...SERVER_OPTIONS } as const;

const ARGUMENTS = { arguments: { type: 'boolean', about: 'also show the values of the arguments' } } as const;

/** `sigil tasks show`: shows one task, including the parts that are encrypted in the store. */
export const tasksShow: Command = aboutOne('show', 'show a task, and its result', describe);

/** `sigil tasks cancel`: cancels a task that has not ended yet. */
export const tasksCancel: Command = aboutOne(
  'cancel',
  'cancel a task, even if it runs in another process',
  () => ['Cancelled'],
);

/** `sigil tasks retry`: runs a failed task again. */
export const tasksRetry: Command = aboutOne('retry', 'run a failed task again, as a new task', (task) => [
  task.taskId,
]);

function aboutOne<V extends keyof Answers['tasks']>(
  verb: V,
  purpose: string,
  describe: (answer: Answers['tasks'][V]) => readonly string[],
): Command {
  const options = { ...ONE_OPTIONS, ...(verb === 'show' && ARGUMENTS) };
  return {
    synopsis: `tasks ${verb} <task id> [--main <main.js>]${verb === 'show' ? ' [--arguments]' : ''}`,
    purpose,
    example: `tasks ${verb} 3f0c8f7e-6f0e-4a53-9d0c-5f1f4f3a2f11 --main dist/main.js`,
    options,
    async run(args, terminal) {
      const { values, operands } = readArguments(args, options, ['<task id>']);
      const timeoutMs = readTimeout(values.timeout);
      const details = { taskId: operands[0], arguments: values.arguments };
      const answer = await askStore(mainOf(undefined, values.main), 'tasks', verb, details, { timeoutMs });
      show(terminal, values, answer, () => describe(answer));
      return EXIT_CODES.ok;
    },
  };
}

function describeAll({ tasks, hasMore }: TaskListing, terminal: Terminal): string[] {
  const rows = tasks.map(({ taskId, tool, status, isError, lastUpdatedAt, lostRuns, ...task }) => {
    const held = task.heldUntil && `held by a run until ${task.heldUntil}`;
    const claimable = task.claimableFrom && `can be claimed from ${task.claimableFrom}`;
    const details = [held, claimable, task.statusMessage].filter(Boolean).join('; ');
    const lost = counted(lostRuns, 'lost run');
    return [taskId, tool, isError ? `${status} (isError)` : status, lastUpdatedAt, lost, inOneLine(details)];
  });
  const lines = table(rows).map((line, index) => {
    const { status = 'working', isError = false } = tasks[index] ?? {};
    const style = STYLES[isError ? 'failed' : status];
    return style ? styled(terminal, style, line) : line;
  });
  return withCount(lines, 'task', hasMore);
}

function describe(task: ShownTask): string[] {
  const rows = Object.entries(task).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return table(
    rows.map(([name, value]) => [name, inOneLine(typeof value === 'string' ? value : JSON.stringify(value))]),
  );
}

import type { ExtensionCall } from '../../engine/extension.js';
import { invalidParams, missingExtension } from '../../errors/errors.js';
import type { AppExtension } from '../app-extension.js';
import { TASKS } from './task-options.js';

/** Most tasks one subscription may hear of. */
const MAX_LISTENED = 1000;

/** What clients are answered about tasks where no tool is ever run as one: the same as by `tasks.ts`, which is left out then. */
export const noTasks: AppExtension = {
  create: () => ({
    id: TASKS,
    settings: () => undefined,
    // They are not found, as long as there is nothing to offer.
    methods: Object.fromEntries(
      ['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => [
        method,
        { namedBy: 'taskId', serve: () => ({}) },
      ]),
    ),
    listen: (call, { taskIds }) => (taskIds === undefined ? {} : { taskIds: listened(call, taskIds) && [] }),
  }),
};

/**
 * The tasks that a subscription asks to hear of, each once.
 *
 * @throws ProtocolError when the client has not declared the extension (-32021), or asks for no list of ids (-32602).
 */
export function listened(call: ExtensionCall, taskIds: unknown): readonly string[] {
  if (!call.declares(TASKS)) throw missingExtension(TASKS);
  if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string'))
    throw invalidParams('"taskIds" must be a list of task ids');
  const asked = [...new Set<string>(taskIds)];
  if (asked.length > MAX_LISTENED) throw invalidParams(`More than ${MAX_LISTENED} "taskIds"`);
  return asked;
}

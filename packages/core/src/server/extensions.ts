import type { ExtensionFactory } from '../engine/extension.js';
import type { AppExtension } from '../extensions/app-extension.js';
import { apps } from '../extensions/apps/apps.js';
import { tasks, type TasksOptions } from '../extensions/tasks/tasks.js';
import { isObject } from '../protocol/json.js';

/** The extensions of an app: those that come along, and those it was given, all in one shape. */
export function allExtensions(
  given: readonly (ExtensionFactory | AppExtension)[],
  tasksOptions: TasksOptions | undefined,
): readonly AppExtension[] {
  const own = given
    .filter(isExtension)
    .map((extension) => (typeof extension === 'function' ? { create: extension } : extension));
  return [tasks(tasksOptions), apps, ...own];
}

/** Whether a value can be given as an extension. A promise of one cannot: it is to be awaited first. */
export function isExtension(value: unknown): value is ExtensionFactory | AppExtension {
  return typeof value === 'function' || (isObject(value) && typeof value['create'] === 'function');
}

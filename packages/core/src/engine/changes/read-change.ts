import { isObject } from '../../protocol/json.js';
import type { Change } from '../../registry/registry.js';
import type { ServerChange } from './change-bus.js';

const LISTS: Readonly<Record<Change, true>> = { tools: true, prompts: true, resources: true };

/**
 * Reads what came over a bus. Another process may be of another version, so anything may come.
 *
 * @returns a change with its own members and no others; `undefined` when it is none that is known.
 */
export function readChange(value: unknown): ServerChange | undefined {
  if (!isObject(value)) return undefined;
  const { kind, list, uri, taskId } = value;
  if (kind === 'list' && isList(list)) return { kind, list };
  if (kind === 'resource' && typeof uri === 'string') return { kind, uri };
  if (kind === 'task' && typeof taskId === 'string') return { kind, taskId };
  return undefined;
}

function isList(value: unknown): value is Change {
  return typeof value === 'string' && Object.hasOwn(LISTS, value);
}

import { canonicalJson, isObject } from '../json.js';
import type { Change } from './change.js';
import { shown } from '../schema/difference.js';

/** Compares what two servers say they can do: whatever is gone, or is another, breaks somebody. */
export function diffCapabilities(before: unknown, after: unknown, path = ''): Change[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      diffCapabilities(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  const isAdded = before === undefined || before === false;
  const what = isAdded
    ? 'added'
    : after === undefined || after === false
      ? 'removed'
      : `${shown(before)} → ${shown(after)}`;
  return [{ level: isAdded ? 'additive' : 'breaking', where: 'capabilities', path, what }];
}

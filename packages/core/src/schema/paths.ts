import { shorten } from './describe-value.js';

const SHOWN_NAME = 60;

/**
 * Adds a step to a path such as `warehouses[0].code`. A name that could be taken for something else, such as one with
 * a dot or a line break, is quoted; a long one is cut.
 */
export function joinPath(parent: string, step: string, isIndex: boolean): string {
  if (isIndex) return `${parent}[${step}]`;
  if (step.length > SHOWN_NAME || !/^[\p{L}\p{M}\p{N}_$-]+$/u.test(step))
    return `${parent}[${JSON.stringify(shorten(step, SHOWN_NAME))}]`;
  return parent === '' ? step : `${parent}.${step}`;
}

/**
 * Turns a JSON pointer into a path.
 * @param value the root the pointer points into: it tells an index from a property named like one.
 */
export function pathOf(pointer: string, value: unknown): string {
  let path = '';
  let at = value;
  for (const token of pointer.split('/').slice(1)) {
    const step = token.replace(/~1/g, '/').replace(/~0/g, '~');
    path = joinPath(path, step, Array.isArray(at));
    at = (at as Record<string, unknown> | undefined)?.[step];
  }
  return path;
}

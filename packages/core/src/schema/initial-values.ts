import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';

const NESTED_LEVELS = 8;

/**
 * The values property initialisers give: they are the defaults of arguments. Makes one instance, as every request will.
 * @returns undefined, and a problem, when the class cannot be constructed without arguments.
 */
export function initialValues(
  cls: Constructor,
  where: string,
  problems: Problem[],
): Readonly<Record<string, unknown>> | undefined {
  try {
    return new cls() as Record<string, unknown>;
  } catch {
    problems.push({
      code: 'SIGIL_INVALID_SCHEMA',
      where,
      what: `class ${cls.name} cannot be constructed without arguments`,
      fix: `give ${cls.name} a constructor that needs no arguments; its properties are assigned afterwards`,
    });
    return undefined;
  }
}

/** Whether JSON carries a value unchanged, so that a schema may show it as `default`. */
export function isJson(value: unknown, levels: number = NESTED_LEVELS): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(Object.getPrototypeOf(value) ?? {}) === null;
  return isPlain && Object.values(value).every((member) => isJson(member, levels - 1));
}

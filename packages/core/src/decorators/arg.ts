import type { ParameterDefinition } from '../metadata/definitions.js';
import { addParameter } from '../metadata/store.js';

/** What `@Arg` and `@Param` may be told: any JSON Schema keyword, and these. */
export interface ArgOptions {
  /** The type, when the build emits none or reflection cannot see it: `() => Date`, `() => Address`, `'integer'` … */
  readonly type?: (() => unknown) | string;
  /** The type of the elements of an array: `() => String`, `() => Address`. */
  readonly items?: (() => unknown) | object;
  readonly description?: string;
  /** The argument may be left out. Implied by `default`. */
  readonly optional?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly [keyword: string]: unknown;
}

/**
 * Gives a handler parameter one argument of a tool or prompt by name; no DTO class is needed for small things.
 * The type comes from the parameter; constraints and description from the options.
 */
export function Arg(name: string, options: ArgOptions = {}): ParameterDecorator {
  return record('arg', name, options);
}

/** Gives a handler parameter one variable of a resource template by name. */
export function Param(name: string, options: ArgOptions = {}): ParameterDecorator {
  return record('param', name, options);
}

function record(kind: ParameterDefinition['kind'], name: string, options: ArgOptions): ParameterDecorator {
  return (prototype, method, index) => {
    if (method === undefined)
      throw new TypeError(`@Arg and @Param belong on the parameters of methods: ${name}`);
    const { type, items, optional, ...keywords } = options;
    const byName = typeof type === 'string' ? { type } : {};
    addParameter(prototype, method, {
      kind,
      index,
      name,
      optional: optional ?? 'default' in keywords,
      keywords: { ...byName, ...(typeof items === 'object' ? { items } : {}), ...keywords },
      ...(typeof type === 'function' ? { type } : {}),
      ...(typeof items === 'function' ? { items } : {}),
    });
  };
}

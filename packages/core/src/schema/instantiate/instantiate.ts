import type { Constructor } from '../../protocol/constructor.js';
import { isObject } from '../../protocol/json.js';
import { once } from '../../protocol/maybe-promise.js';
import { type ClassModels, summaryOf } from '../dto/dto.js';
import type { PropertyModel } from '../dto/property.js';
import type { Instantiator } from '../dto/wire-form.js';
import { DtoFunctionError } from '../messages/issues.js';

/** Returns an instantiator that converts each element of an array, and returns other values unchanged. */
export function listInstantiator(one: Instantiator): Instantiator {
  return (value) => (Array.isArray(value) ? value.map((element) => one(element)) : value);
}

/** Converts an array to a Set. @param one converts each element; by default, elements stay unchanged. */
function setInstantiator(one: Instantiator = (element) => element): Instantiator {
  return (value) => (Array.isArray(value) ? new Set(value.map((element) => one(element))) : value);
}

/** Converts an object to a Map. @param one converts each value; by default, values stay unchanged. */
function mapInstantiator(one: Instantiator = (member) => member): Instantiator {
  return (value) => {
    if (typeof value !== 'object' || value === null || value instanceof Map) return value;
    return new Map(Object.entries(value).map(([key, member]) => [key, one(member)]));
  };
}

interface Field {
  readonly name: string;
  readonly instantiator: Instantiator | undefined;
}

/** The conversion of one property of a class. */
interface ClassField extends Field {
  /** The name of the property in JSON. */
  readonly wire: string;
}

/** How one argument of a handler is converted from its JSON value. */
export interface ArgumentField extends Field {
  /** A function that returns the default for a missing value. The member is `undefined` if there is no default. */
  readonly fallback: (() => unknown) | undefined;
}

/**
 * Returns a function that creates an argument object from a validated value: it converts properties, and adds
 * defaults.
 * @returns `undefined` if there is nothing to convert. Validated values can then be used directly.
 */
export function objectInstantiator(all: readonly ArgumentField[]): Instantiator | undefined {
  const fields = all.filter(
    ({ instantiator, fallback }) => instantiator !== undefined || fallback !== undefined,
  );
  if (fields.length === 0) return undefined;
  return (value) => {
    const made = { ...(value as Record<string, unknown>) };
    for (const { name, instantiator, fallback } of fields) {
      if (!Object.hasOwn(made, name)) {
        if (fallback) made[name] = fallback();
      } else if (instantiator) made[name] = instantiator(made[name]);
    }
    return made;
  };
}

/**
 * Returns a function that returns the default `value`. If the value is mutable, the function returns a new copy each
 * time.
 */
export function fallbackFor(value: unknown): () => unknown {
  if (typeof value !== 'object' || value === null) return () => value;
  const json = JSON.stringify(value);
  return () => JSON.parse(json) as unknown;
}

/** Creates instances of a class from validated values. Only the declared properties are copied. */
function ownInstantiator(cls: Constructor, fields: readonly Field[]): Instantiator {
  return (value) => {
    if (!isObject(value)) return value;
    const instance = new cls() as Record<string, unknown>;
    for (const { name, instantiator } of fields) {
      // Own keys only, or a property called `toString` would be found on every value.
      if (!Object.hasOwn(value, name)) continue;
      const given = value[name];
      instance[name] = instantiator ? instantiator(given) : given;
    }
    return instance;
  };
}

/**
 * Creates instances with class-transformer, for classes that it renames, transforms or selects.
 * @param fields the fields that class-transformer does not convert.
 */
function transformerInstantiator(
  cls: Constructor,
  fields: readonly ClassField[],
  models: ClassModels,
): Instantiator {
  const isChosen = once(() => summaryOf(cls, models).chosen);
  const transform = (value: object): Record<string, unknown> => {
    try {
      // An omitted property keeps its initial value, even if @Expose() names it. The copy keeps discriminators, which
      // class-transformer deletes from its input.
      const given = isChosen() ? (copyOf(value) as object) : value;
      const made = cls as new () => Record<string, unknown>;
      return models.libraries.plainToInstance(made, given, { exposeUnsetFields: false });
    } catch (error) {
      throw transformFailure(cls, value, models, error);
    }
  };
  return (value) => {
    if (!isObject(value)) return value;
    const instance = transform(value);
    for (const { name, wire, instantiator } of fields) {
      // Made from the received JSON: class-transformer has already made a Date, even of a day that does not exist.
      if (instantiator && Object.hasOwn(instance, name) && Object.hasOwn(value, wire))
        instance[name] = instantiator(value[wire]);
    }
    return instance;
  };
}

/**
 * Copies a JSON value. `structuredClone` would create objects of another realm in Jest, where each test has a
 * separate context.
 */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, copyOf(held)]));
}

/** Creates one function for each class. The function converts a validated JSON value to an instance of the class. */
export class InstancePlans {
  readonly #plans = new Map<Constructor, Instantiator>();

  constructor(readonly models: ClassModels) {}

  of(cls: Constructor): Instantiator {
    const known = this.#plans.get(cls);
    if (known) return known;
    const model = this.models.of(cls);
    const fields: ClassField[] = [];
    const instantiator = model.transformed
      ? transformerInstantiator(cls, fields, this.models)
      : ownInstantiator(cls, fields);
    // Known before its fields are, because a class may hold itself.
    this.#plans.set(cls, instantiator);
    const prototype = cls.prototype as object;
    const isOurs = ({ name, nested, transformed }: PropertyModel): boolean =>
      model.transformed ? !nested && !transformed : isAssignable(prototype, name);
    for (const property of model.properties.filter(isOurs))
      fields.push({ name: property.name, wire: property.wire, instantiator: this.#instantiator(property) });
    return instantiator;
  }

  #instantiator({ nested, form, container }: PropertyModel): Instantiator | undefined {
    const one = nested ? this.of(nested.cls) : form?.instantiator;
    if (container === 'set') return setInstantiator(one);
    if (container === 'map') return mapInstantiator(one);
    return one && container === 'array' ? listInstantiator(one) : one;
  }
}

const NEVER_ASSIGNED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a property of an instance can be assigned. */
function isAssignable(prototype: object, name: string): boolean {
  if (NEVER_ASSIGNED.has(name)) return false;
  for (let at: object | null = prototype; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.set !== undefined || found.writable === true;
  }
  return true;
}

/** The numbers that class-transformer uses for the two directions. */
const NUMBERS = { input: 0, output: 1 } as const;

/**
 * Serialises instances as class-transformer's decorators specify.
 * @param cls the class of the value, or of its elements.
 * @throws DtoFunctionError if class-transformer or a
 * transform function of the author throws.
 */
export function toPlain(cls: Constructor, value: unknown, models: ClassModels): unknown {
  try {
    return models.libraries.instanceToPlain(value);
  } catch (error) {
    throw transformFailure(cls, value, models, error);
  }
}

/**
 * Returns an error that names the class and the property that class-transformer failed at. Its own error
 * does not name them.
 */
function transformFailure(
  cls: Constructor,
  value: unknown,
  models: ClassModels,
  cause: unknown,
): DtoFunctionError {
  const [place = cls.name] = failingProperties(cls, value, models);
  return new DtoFunctionError(place, 'class-transformer, or a @Transform or @Type,', cause);
}

/** Runs each transform again, and returns the properties whose transforms throw. */
function* failingProperties(cls: Constructor, value: unknown, models: ClassModels): Iterable<string> {
  if (Array.isArray(value)) for (const element of value) yield* failingProperties(cls, element, models);
  if (!isObject(value)) return;
  for (const property of models.of(cls).properties) {
    const held = value[models.direction === 'input' ? property.wire : property.name];
    if (property.transformed && fails(cls, property, value, held, models))
      yield `${cls.name}.${property.name}`;
    else if (property.nested) yield* failingProperties(property.nested.cls, held, models);
  }
}

function fails(
  cls: Constructor,
  { name }: PropertyModel,
  obj: object,
  value: unknown,
  { libraries, direction }: ClassModels,
): boolean {
  const type = NUMBERS[direction];
  try {
    for (const { transformFn } of libraries.transforms.findTransformMetadatas(cls, name, type))
      transformFn?.({ value, key: name, obj, type, options: {} });
    return false;
  } catch {
    return true;
  }
}

import type { Constructor } from '../protocol/constructor.js';
import { HEADER_KEYWORD } from '../protocol/descriptors.js';
import type { CustomParameterDefinition, HandlerDefinition, ParameterDefinition } from './definitions.js';
import {
  DESIGN,
  KEYS,
  type ListKey,
  read,
  readOwn,
  type SchemaAnnotations,
  type ServiceDefinition,
  write,
} from './keys.js';

export type { SchemaAnnotations, ServiceDefinition, ServiceScope } from './keys.js';
import { settleDecorators } from './standard-decorators.js';

type MethodName = string | symbol;
type AnyParameter = ParameterDefinition | CustomParameterDefinition;

/** Records that a method of a class is a handler. A method can have several definitions. */
export function addHandler(prototype: object, method: MethodName, definition: HandlerDefinition): void {
  const own = readOwn(KEYS.handlers, prototype);
  // Decorators apply bottom-up; the topmost comes first.
  const definitions = [definition, ...(own?.get(method) ?? [])];
  write(KEYS.handlers, new Map(own).set(method, definitions), prototype);
}

/** A method of a class that is a handler. */
export interface HandlerMethod {
  readonly method: MethodName;
  readonly definitions: readonly HandlerDefinition[];
  /**
   * The prototype of the class that decorates the method. If several classes of the inheritance chain decorate the
   * method, it is the prototype of the most derived of these classes. Only the parameter decorators of that class
   * apply.
   */
  readonly declarer: object;
}

/**
 * Returns the handlers of a class in the order of their declaration, inherited handlers first. If a subclass decorates
 * an inherited method again, the method keeps its position, and the new definitions replace the old ones.
 *
 * @param cls a class, decorated or not.
 * @returns one entry for each handler; an empty list if the class has none.
 * @example
 * ```ts
 * const services = classes.filter((cls) => handlersOf(cls).length > 0);
 * ```
 */
export function handlersOf(cls: Constructor): HandlerMethod[] {
  const merged = new Map<MethodName, HandlerMethod>();
  for (const declarer of chainOf(cls)) {
    const own = readOwn(KEYS.handlers, declarer);
    if (own === undefined) continue;
    for (const [method, definitions] of own) merged.set(method, { method, definitions, declarer });
  }
  return [...merged.values()];
}

/** Records where a parameter of a method gets its value. */
export function addParameter(prototype: object, method: MethodName, parameter: AnyParameter): void {
  const own = readOwn(KEYS.parameters, prototype, method) ?? [];
  write(KEYS.parameters, [...own, parameter], prototype, method);
}

/** Records that clients repeat the argument of a parameter in a header. */
export function addHeader(prototype: object, method: MethodName, index: number, header: string): void {
  const own = readOwn(KEYS.headers, prototype, method);
  write(KEYS.headers, new Map(own).set(index, header), prototype, method);
}

/**
 * Returns the decorated parameters of a handler, in order of their index.
 *
 * @example
 * ```ts
 * const names = parametersOf(handler).map((parameter) => parameter.kind === 'custom' ? undefined : parameter.name);
 * ```
 */
export function parametersOf({ declarer, method }: HandlerMethod): readonly AnyParameter[] {
  const found = readOwn(KEYS.parameters, declarer, method);
  if (found === undefined) return [];
  const headers = readOwn(KEYS.headers, declarer, method);
  return [...found]
    .sort((a, b) => a.index - b.index)
    .map((parameter) => withHeader(parameter, headers?.get(parameter.index)));
}

function withHeader(parameter: AnyParameter, header: string | undefined): AnyParameter {
  if (header === undefined || parameter.kind === 'custom') return parameter;
  return { ...parameter, keywords: { ...parameter.keywords, [HEADER_KEYWORD]: header } };
}

/** Adds entries to a metadata list of a class (if `method` is `undefined`) or of one of its methods. */
export function addToList(
  key: ListKey,
  prototype: object,
  method: MethodName | undefined,
  items: readonly unknown[],
): void {
  const own = readOwn(key, prototype, method) ?? [];
  write(key, [...items, ...own], prototype, method);
}

/**
 * Returns a metadata list of a class or method, such as its guards. The list includes the entries from base classes. If
 * `first` is `inherited`, the entries from base classes come first; if `own`, they come last.
 */
export function listOf(
  key: ListKey,
  cls: Constructor,
  method?: MethodName,
  first: 'inherited' | 'own' = 'inherited',
): readonly unknown[] {
  const found: unknown[] = [];
  for (const prototype of first === 'own' ? chainOf(cls).reverse() : chainOf(cls)) {
    const own = readOwn(key, prototype, method);
    if (own !== undefined) found.push(...own);
  }
  return found;
}

/** Records private metadata on a class (if `method` is `undefined`) or on one of its methods. */
export function addMetadata(
  prototype: object,
  method: MethodName | undefined,
  metadata: Readonly<Record<PropertyKey, unknown>>,
): void {
  const own = readOwn(KEYS.metadata, prototype, method);
  // Decorators apply bottom-up: the upper one wins.
  write(KEYS.metadata, { ...own, ...metadata }, prototype, method);
}

/**
 * Returns the private metadata of a method. Metadata on the method overrides metadata on its class and base classes.
 */
export function metadataOf(cls: Constructor, method: MethodName): Readonly<Record<PropertyKey, unknown>> {
  const chain = chainOf(cls);
  const found = [undefined, method].flatMap((member) =>
    chain.map((prototype) => readOwn(KEYS.metadata, prototype, member)),
  );
  return found.reduce<Readonly<Record<PropertyKey, unknown>>>((all, one) => ({ ...all, ...one }), {});
}

/**
 * Returns the types that TypeScript emitted for the parameters of a handler.
 *
 * @returns `undefined` when TypeScript emitted none.
 * @example
 * ```ts
 * const first = parameterTypes(handler)?.[0];
 * ```
 */
export function parameterTypes({ declarer, method }: HandlerMethod): readonly unknown[] | undefined {
  return readOwn(DESIGN.parameters, declarer, method) as readonly unknown[] | undefined;
}

/**
 * Returns the return type that TypeScript emitted for a handler. For a promise, it is `Promise`, without the type of
 * the value.
 */
export function returnType({ declarer, method }: HandlerMethod): unknown {
  return readOwn(DESIGN.returns, declarer, method);
}

/** Returns the types that TypeScript emitted for the parameters of a class's own constructor. */
export function constructorTypes(cls: Constructor): readonly unknown[] | undefined {
  return readOwn(DESIGN.parameters, cls) as readonly unknown[] | undefined;
}

function chainOf(cls: Constructor): object[] {
  const chain: object[] = [];
  let prototype = cls.prototype as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    settleDecorators(prototype);
    chain.push(prototype);
    prototype = Reflect.getPrototypeOf(prototype);
  }
  return chain.length > 1 ? chain.reverse() : chain;
}

/** Records that a class is a service. */
export function defineService(cls: object, definition: ServiceDefinition): void {
  write(KEYS.service, definition, cls);
}

/**
 * Returns the options that `@Service` recorded for a class.
 *
 * @param cls a class, decorated or not.
 * @returns the options; `undefined` if the class itself has no `@Service`.
 * @example
 * ```ts
 * if (serviceOf(cls)?.scope === 'session') throw new Error('There are no sessions here');
 * ```
 */
export function serviceOf(cls: Constructor): ServiceDefinition | undefined {
  return readOwn(KEYS.service, cls);
}

/** Records that a constructor parameter may be `undefined`. */
export function addOptional(cls: object, index: number): void {
  write(KEYS.optional, [...(readOwn(KEYS.optional, cls) ?? []), index], cls);
}

/** Returns the indexes of the class's own constructor parameters that may be `undefined`. */
export function optionalOf(cls: Constructor): readonly number[] {
  return readOwn(KEYS.optional, cls) ?? [];
}

/** Adds annotations to a class, or to a property of it (`target` is then the prototype). */
export function annotate(
  target: object,
  property: string | symbol | undefined,
  more: SchemaAnnotations,
): void {
  const own = readOwn(KEYS.annotations, target, property);
  write(KEYS.annotations, { ...own, ...more }, target, property);
  if (property === undefined) return;
  const names = readOwn(KEYS.annotated, target);
  write(KEYS.annotated, new Set(names).add(property), target);
}

/** Returns the names of a class's annotated properties, including those of its base classes. */
export function annotatedProperties(prototype: object): ReadonlySet<string | symbol> {
  const found = new Set<string | symbol>();
  for (let at: object | null = prototype; at !== null; at = Reflect.getPrototypeOf(at))
    for (const name of readOwn(KEYS.annotated, at) ?? []) found.add(name);
  return found;
}

/** Returns the annotations of a class or property, including those of base classes. */
export function annotationsOf(target: object, property?: string | symbol): SchemaAnnotations {
  return read(KEYS.annotations, target, property) ?? {};
}

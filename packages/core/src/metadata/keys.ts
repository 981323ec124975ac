import Reflect from '#reflect-metadata';
import type { CustomParameterDefinition, HandlerDefinition, ParameterDefinition } from './definitions.js';

// Programs that import the framework get the types of Reflect's metadata functions.
export type {} from 'reflect-metadata';

/**
 * How long an instance of a service lives:
 *
 * - `singleton`: as long as the app.
 * - `session`: as long as a session; in revision 2026-07-28, which has no sessions, as long as a request.
 * - `request`: as long as a request.
 * - `transient`: each use creates a separate instance.
 */
export type ServiceScope = 'singleton' | 'session' | 'request' | 'transient';

/** How the container creates instances of a class. */
export interface ServiceDefinition {
  /** How long an instance lives. */
  readonly scope: ServiceScope;
}

/** The annotations of a class or property, from decorators such as `@Describe`. */
export interface SchemaAnnotations {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  /** The name of the HTTP header that repeats the value, from `@McpHeader`. */
  readonly header?: string;
}

declare const RECORDED: unique symbol;

/**
 * A metadata key with the type of its value, so that writers and readers of the value use the same type.
 */
export type MetadataKey<T> = symbol & { readonly [RECORDED]: T };

/** The type of the value under each key. */
interface Keys {
  readonly handlers: MetadataKey<ReadonlyMap<string | symbol, readonly HandlerDefinition[]>>;
  readonly parameters: MetadataKey<readonly (ParameterDefinition | CustomParameterDefinition)[]>;
  readonly headers: MetadataKey<ReadonlyMap<number, string>>;
  readonly annotations: MetadataKey<SchemaAnnotations>;
  readonly annotated: MetadataKey<ReadonlySet<string | symbol>>;
  readonly mapping: symbol;
  readonly guards: ListKey;
  readonly middleware: ListKey;
  readonly errors: ListKey;
  readonly scopes: ListKey;
  readonly limits: ListKey;
  readonly metadata: MetadataKey<Readonly<Record<PropertyKey, unknown>>>;
  readonly service: MetadataKey<ServiceDefinition>;
  readonly optional: MetadataKey<readonly number[]>;
  readonly standard: symbol;
}

/** A metadata key whose value is a list of decorator arguments of any type. */
export type ListKey = MetadataKey<readonly unknown[]>;

function key<T>(name: string): MetadataKey<T> {
  return Symbol.for(`sigil:${name}`) as MetadataKey<T>;
}

/** All metadata keys of Sigil. */
export const KEYS: Keys = {
  /** On a class: its handler definitions, by method name. */
  handlers: key('handlers'),
  /** On a method of a class: its parameter definitions, by index. */
  parameters: key('parameters'),
  /** On a method of a class: the header names from `@McpHeader`, by the index of the parameter. */
  headers: key('headers'),
  /** On a class or one of its properties: annotations for schemas. */
  annotations: key('annotations'),
  /** On a class: the names of its properties with annotations. */
  annotated: key('annotated'),
  /** On a class derived from others, for example by `PartialType()`: the source classes. */
  mapping: Symbol.for('sigil:mapping'),
  /** On a class or one of its methods: the guards. The key `middleware` is for the middleware. */
  guards: key('guards'),
  middleware: key('middleware'),
  /** On a class or one of its methods: error mappers. */
  errors: key('errors'),
  /** On a class or one of its methods: the required scopes. */
  scopes: key('scopes'),
  /** On a class or one of its methods: limits on the rate of calls and on simultaneous calls. */
  limits: key('limits'),
  /** On a class or one of its methods: private metadata, by key. */
  metadata: key('metadata'),
  /** On a class: how the container creates its instances. */
  service: key('service'),
  /** On a class: the constructor parameters that may be `undefined`. */
  optional: key('optional'),
  /**
   * On the metadata object that compilers pass to standard decorators: functions to call once the class exists. They
   * record the metadata from these decorators.
   */
  standard: Symbol.for('sigil:standard'),
};

/** The keys that TypeScript emits with `emitDecoratorMetadata`. */
export const DESIGN = {
  type: 'design:type',
  parameters: 'design:paramtypes',
  returns: 'design:returntype',
} as const;

// The only file that touches Reflect's metadata functions.

type Property = string | symbol | undefined;

/**
 * Reads metadata of a class or prototype, or of one of its members. If there is none, returns the metadata of the
 * nearest base class.
 */
export function read<T>(key: MetadataKey<T>, target: object, property?: Property): T | undefined;
export function read(key: string | symbol, target: object, property?: Property): unknown;
export function read(key: string | symbol, target: object, property?: Property): unknown {
  return property === undefined
    ? Reflect.getMetadata(key, target)
    : Reflect.getMetadata(key, target, property);
}

/** Reads metadata of a class or prototype, or of one of its members. Ignores metadata of base classes. */
export function readOwn<T>(key: MetadataKey<T>, target: object, property?: Property): T | undefined;
export function readOwn(key: string | symbol, target: object, property?: Property): unknown;
export function readOwn(key: string | symbol, target: object, property?: Property): unknown {
  return property === undefined
    ? Reflect.getOwnMetadata(key, target)
    : Reflect.getOwnMetadata(key, target, property);
}

/** Records metadata on a class or prototype. */
export function write<T>(key: MetadataKey<T>, value: T, target: object, property?: Property): void;
export function write(key: string | symbol, value: unknown, target: object, property?: Property): void;
export function write(key: string | symbol, value: unknown, target: object, property?: Property): void {
  if (property === undefined) Reflect.defineMetadata(key, value, target);
  else Reflect.defineMetadata(key, value, target, property);
}

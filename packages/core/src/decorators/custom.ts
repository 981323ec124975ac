import { addMetadata } from '../metadata/metadata.js';
import { decorator } from '../metadata/standard-decorators.js';

type ClassOrMethodDecorator = ClassDecorator & MethodDecorator;

/**
 * Attaches private metadata to one definition (a tool, resource or prompt), or to all definitions of a class. Metadata
 * on the method overrides metadata on the class. Guards, middleware and handlers read it from `definition.metadata`;
 * clients never see it.
 *
 * @param key the name of the value. For a typed value, make a decorator with `createMetadataDecorator`.
 * @param value the value for guards, middleware and handlers; never sent to clients.
 * @example
 * ```ts
 * @Metadata('audit', 'strict')
 * @Tool({ description: 'Closes a ticket' })
 * closeTicket(@Arg('id') id: string) {
 *   return this.tickets.close(id);
 * }
 * ```
 */
export function Metadata(key: string | symbol, value: unknown): ClassOrMethodDecorator {
  return decorator('Metadata', (target, method) => {
    const prototype = typeof target === 'function' ? (target.prototype as object) : target;
    addMetadata(prototype, method, { [key]: value });
  });
}

/**
 * A decorator that attaches one kind of private metadata. Its method `of` reads the value from a definition.
 * `createMetadataDecorator` creates such decorators.
 */
export interface MetadataDecorator<T> {
  (value: T): ClassOrMethodDecorator;
  /** The key in `definition.metadata`. */
  readonly key: string | symbol;
  /** Reads the value from a definition, such as `ctx.definition`; `undefined` if the definition has none. */
  of(definition: { readonly metadata: Readonly<Record<PropertyKey, unknown>> }): T | undefined;
  /** Returns the object to pass as the option `metadata`: `defineTool({ …, metadata: Roles.entry(['admin']) })`. */
  entry(value: T): Readonly<Record<PropertyKey, T>>;
}

/**
 * Makes a decorator for one kind of private metadata. The code that writes the value and the code that reads it use the
 * same decorator. Therefore, both use the same key and type.
 *
 * @param key the key of the value in `definition.metadata`.
 * @returns the decorator, with `of` to read its value and `entry` for definitions without decorators.
 * @default the key is a new symbol
 * @example
 * ```ts
 * const Roles = createMetadataDecorator<string[]>('roles');
 *
 * class RolesGuard implements Guard {
 *   allows({ definition, principal }: GuardContext) {
 *     return (Roles.of(definition) ?? []).every((role) => principal?.scopes?.includes(role));
 *   }
 * }
 * ```
 */
export function createMetadataDecorator<T>(key: string | symbol = Symbol('metadata')): MetadataDecorator<T> {
  const decorate = (value: T): ClassOrMethodDecorator => Metadata(key, value);
  return Object.assign(decorate, {
    key,
    of: ({ metadata }: { readonly metadata: Readonly<Record<PropertyKey, unknown>> }) =>
      metadata[key] as T | undefined,
    entry: (value: T) => ({ [key]: value }),
  });
}

/** A decorator of a class or a method. */
type AnyDecorator = (target: never, member: never, descriptor: never) => void;

/**
 * Combines several decorators of methods or classes into one. The combined decorator has the same effect as all the
 * given decorators above a method or class, the first argument on top.
 *
 * @param decorators the decorators to combine, the outermost first.
 * @example
 * ```ts
 * const AdminTool = (options: ToolOptions) =>
 *   applyDecorators(Tool(options), UseGuards(IsAdmin), Metadata('audit', 'strict'));
 * ```
 */
export function applyDecorators(...decorators: readonly AnyDecorator[]): ClassDecorator & MethodDecorator {
  return (target: object, member?: string | symbol, descriptor?: PropertyDescriptor): void => {
    // Decorators apply from the bottom up.
    for (const decorate of [...decorators].reverse()) {
      Reflect.apply(decorate, undefined, [target, member, descriptor]);
    }
  };
}

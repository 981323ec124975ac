import { addOptional, defineService, type Scope } from '../metadata/service.js';

/** What `@Service` may be told. */
export interface ServiceOptions {
  /**
   * How long an instance lives.
   *
   * @default 'singleton'
   */
  readonly scope?: Scope;
}

/**
 * Makes a class resolvable by the container, with its constructor's parameters injected by their types.
 *
 * A singleton is made once an app, at start. A `session` service is made once a legacy session (in the modern era,
 * which has none, once a request); a `request` service once a request; a `transient` one each time it is asked for.
 *
 * A singleton may have the methods `onInit` and `onReady`. `createApp` awaits `onInit` of every service after that of the
 * services it needs, then `onReady` of all in the same order, and then returns. A singleton that is first asked for later is
 * initialised then, before it is handed on. Services of the other scopes must not have these methods.
 *
 * An instance with `Symbol.asyncDispose`, `Symbol.dispose`, `onClose` or `destroy` is disposed of, and awaited, when its
 * scope ends, those made last first.
 */
export function Service(options: ServiceOptions = {}): ClassDecorator {
  return (cls) => defineService(cls, { scope: options.scope ?? 'singleton' });
}

/**
 * Lets a constructor parameter be `undefined` where its id is neither provided nor a class with `@Service`. The twin for field
 * initialisers is `inject(id, { optional: true })`.
 *
 * @example
 * constructor(@Optional() @Inject(CACHE) private readonly cache?: Cache) {}
 */
export function Optional(): ParameterDecorator {
  return (cls, _method, index) => addOptional(cls, index);
}

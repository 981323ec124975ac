import { defineService, type Scope } from '../metadata/service.js';

/** What `@Service` may be told. */
export interface ServiceOptions {
  /** How long an instance lives; `singleton` unless given. */
  readonly scope?: Scope;
}

/**
 * Makes a class resolvable by the container, with its constructor's parameters injected by their types.
 *
 * A singleton is made once an app, at start. A `session` service is made once a legacy session (in the modern era,
 * which has none, once a request); a `request` service once a request; a `transient` one each time it is asked for.
 * An instance with `Symbol.asyncDispose`, `Symbol.dispose`, `onClose` or `destroy` is disposed of, and awaited, when its
 * scope ends, those made last first.
 */
export function Service(options: ServiceOptions = {}): ClassDecorator {
  return (cls) => defineService(cls, { scope: options.scope ?? 'singleton' });
}

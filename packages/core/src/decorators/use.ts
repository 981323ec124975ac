import type { GuardLike, MiddlewareLike } from '../context/access.js';
import type { ErrorMapper } from '../context/error-mapper.js';
import { KEYS } from '../metadata/keys.js';
import { addToList } from '../metadata/store.js';

type ClassOrMethodDecorator = ClassDecorator & MethodDecorator;

/** Lets a service's definitions, or one definition, be seen and used only by those whom every guard allows. */
export function UseGuards(...guards: GuardLike[]): ClassOrMethodDecorator {
  return record(KEYS.guards, guards);
}

/** Wraps a service's handlers, or one handler, in middleware; the first given is the outermost. */
export function UseMiddleware(...middleware: MiddlewareLike[]): ClassOrMethodDecorator {
  return record(KEYS.middleware, middleware);
}

/** Says what errors of a service's handlers, or of one handler, become; see `mapError`. */
export function MapErrors(...mappers: ErrorMapper[]): ClassOrMethodDecorator {
  return record(KEYS.errors, mappers);
}

function record(key: symbol, items: readonly unknown[]): ClassOrMethodDecorator {
  return (target: object, method?: string | symbol) => {
    const prototype = typeof target === 'function' ? (target.prototype as object) : target;
    addToList(key, prototype, method, items);
  };
}

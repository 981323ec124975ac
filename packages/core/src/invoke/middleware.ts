import type { Container } from '../container/contract.js';
import type { Middleware, MiddlewareLike } from '../context/access.js';
import type { Call } from '../context/call.js';
import type { RequestContext } from '../context/request-context.js';
import type { Constructor } from '../protocol/constructor.js';
import { after, type MaybePromise } from '../protocol/maybe-promise.js';
import type { ContextClass } from './bind.js';

type Step = (context: RequestContext, call: Call, next: () => Promise<unknown>) => MaybePromise<unknown>;

/** Serves one call with its raw arguments. */
export type Serve = (call: Call, args: Record<string, unknown>) => MaybePromise<unknown>;

/** Wraps a handler in middleware, the first outermost. Without any, the handler is returned as it is. */
export function compose(
  middleware: readonly MiddlewareLike[],
  serve: Serve,
  Context: ContextClass,
  container: Container,
): Serve {
  if (middleware.length === 0) return serve;
  const steps = middleware.map((like) => toStep(like, container));
  return (call, args) => {
    const context = new Context(call);
    const run = async (index: number): Promise<unknown> => {
      const step = steps[index];
      return step ? step(context, call, () => run(index + 1)) : serve(call, args);
    };
    return run(0);
  };
}

/** Whether a guard or middleware is a class that the container is to resolve. */
export function isClassWith<T extends object>(like: unknown, method: keyof T): like is Constructor<T> {
  return (
    typeof like === 'function' && typeof (like.prototype as Partial<T> | undefined)?.[method] === 'function'
  );
}

function toStep(like: MiddlewareLike, container: Container): Step {
  if (!isClassWith<Middleware>(like, 'handle')) return (context, _call, next) => like(context, next);
  return (context, call, next) => {
    const made = container.get<Middleware>(like, { request: call, session: call.session });
    return after(made, (instance) => instance.handle(context, next));
  };
}

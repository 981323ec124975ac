import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Constructor } from '../protocol/constructor.js';
import type { Principal, RequestFacts } from '../protocol/principal.js';
import type { ClientView } from './call.js';
import type { RequestContext } from './request-context.js';

/** What somebody wants to see or use. One guard decides both, so what may not be used is not seen. */
export interface Access {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  /** The name of a tool or prompt, the URI of a resource, the URI template of a template. */
  readonly name: string;
  /** `_meta` of the definition, for guards that read a policy from it. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly client: ClientView;
  readonly facts: RequestFacts;
}

/** A guard as a class, resolved by the container. */
export interface Guard {
  /** Whether the definition may be seen and used. Throwing counts as no. */
  allows(access: Access): MaybePromise<boolean>;
}

/** A guard: a function, or a class that the container resolves. */
export type GuardLike = ((access: Access) => MaybePromise<boolean>) | Constructor<Guard>;

/** Goes on to the next middleware, in the end to the handler, and gives its result. */
export type Next = () => Promise<unknown>;

/** A middleware as a class, resolved by the container. */
export interface Middleware {
  /** Returns what is to be the result: usually that of `next()`. */
  handle(context: RequestContext, next: Next): MaybePromise<unknown>;
}

/** A middleware: a function, or a class that the container resolves. */
export type MiddlewareLike =
  ((context: RequestContext, next: Next) => MaybePromise<unknown>) | Constructor<Middleware>;

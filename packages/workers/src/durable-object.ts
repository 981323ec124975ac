import type { App, MaybePromise } from '@sigil/core';
import { announceLaterApp } from '@sigil/core/internal';
import type { HostOptions } from '@sigil/http/fetch';
import { type ExecutionContext, worker } from './worker.js';

/** The class that a Worker's module exports for its Durable Objects. */
export type DurableObjectClass<Env, State> = new (
  state: State,
  env: Env,
) => {
  /** Answers a request. */
  fetch(request: Request): Promise<Response>;
};

/**
 * Creates a Durable Object class that serves an app. Each Durable Object of the class keeps the sessions, subscriptions
 * and shared data of all its clients in one place. It has its own app, which is created at its first request.
 *
 * @param app a function that receives the object's state and the bindings, and returns the app. The state includes the
 *   storage. The function is called at the first request, and again only after a failure.
 * @param options the same options as those of `worker`.
 * @returns the class. The module must export it under the `class_name` of the binding in the configuration.
 * @example
 * ```ts
 * export const Shop = durableObject<Env, DurableObjectState>((state) =>
 *   createApp({
 *     name: 'shop',
 *     version: '1.0.0',
 *     services: [Orders],
 *     providers: [provide(STORAGE, state.storage)],
 *   }),
 * );
 * export default { fetch: (request: Request, env: Env) => env.SHOP.getByName('shop').fetch(request) };
 * ```
 */
export function durableObject<Env, State extends ExecutionContext>(
  app: (state: State, env: Env) => MaybePromise<App>,
  options: HostOptions | ((env: Env) => HostOptions) = {},
): DurableObjectClass<Env, State> {
  announceLaterApp(({ anything, env }) => app(anything as State, env as Env));
  return class {
    readonly #answer: (request: Request) => Promise<Response>;

    constructor(state: State, env: Env) {
      const served = worker<Env>(() => app(state, env), options);
      this.#answer = (request) => served.fetch(request, env, state);
    }

    fetch(request: Request): Promise<Response> {
      return this.#answer(request);
    }
  };
}

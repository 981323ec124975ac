import type { App, MaybePromise } from '@sigil/core';
import { announceLaterApp } from '@sigil/core/internal';
import type { HostOptions } from '@sigil/http/fetch';
import { type ExecutionContext, worker } from './worker.js';

/** The export of a worker's module for its Durable Objects. */
export type DurableObjectClass<Env, State> = new (
  state: State,
  env: Env,
) => {
  /** Answers a request. */
  fetch(request: Request): Promise<Response>;
};

/**
 * Serves an app as a Durable Object, which keeps clients' shared data, sessions and subscriptions in one place. Each
 * object has an app of its own, created at its first request.
 *
 * @param app makes the app from the state of the object, which has its storage, and from the bindings; called again
 *   after it has failed.
 * @param options the options of `worker`.
 * @returns the class, which the module exports by the name of its binding's class.
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

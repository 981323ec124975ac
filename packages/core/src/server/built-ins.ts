import type { Diagnostics } from '../errors/errors.js';
import { nameOf, type Provider, type ResolutionScope } from '../container/container.js';
import { RESOLUTION } from '../container/typedi.js';
import { InjectionToken } from '../container/typedi-registry.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import { RequestContext } from '../context/context.js';
import type { Limiter } from '../backend/backend.js';
import type { Principal } from '../protocol/principal.js';
import { App } from './app.js';

/**
 * The injection token of a request's principal, for services of scope `request`. The principal is `undefined` on an
 * unauthenticated transport.
 *
 * @example
 * ```ts
 * @Service({ scope: 'request' })
 * class Basket {
 *   private readonly principal = inject(PRINCIPAL);
 * }
 * ```
 */
export const PRINCIPAL: InjectionToken<Principal | undefined> = new InjectionToken('PRINCIPAL');

/**
 * The injection token of the rate limiter, for guards, middleware and services. The limiter counts operations in all
 * processes that share the app's backend. Without a backend, it counts only in this process.
 *
 * @example
 * ```ts
 * @Service()
 * class FewCalls implements Guard {
 *   private readonly limiter = inject(LIMITER);
 *
 *   allows(): boolean {
 *     return true;
 *   }
 *
 *   async permits({ principal }: RequestContext): Promise<boolean> {
 *     const { allowed } = await this.limiter.take(`calls ${principal?.id}`, { limit: 100, windowMs: 60_000 });
 *     return allowed;
 *   }
 * }
 * ```
 */
export const LIMITER: InjectionToken<Limiter> = new InjectionToken('LIMITER');

/**
 * Reports each provider of the author that has the same id as a built-in service of the app. Otherwise, the app would
 * use both the provider and the built-in service.
 */
export function checkBuiltIns(
  builtIn: readonly Provider[],
  providers: readonly Provider[],
  diagnostics: Diagnostics,
): void {
  const ids = new Set(builtIn.map(({ provide }) => provide));
  const fix =
    'remove this provider; the limiter comes from the backend, and the principal comes from authentication, or in tests from testApp({ principal })';
  for (const { provide } of providers.filter((provider) => ids.has(provider.provide)))
    diagnostics.at(nameOf(provide)).add('SIGIL_DUPLICATE_PROVIDER', 'the app provides it itself', fix);
}

/** Returns providers of the built-in services of every app. */
export function builtIns(app: () => App, limiter: Limiter): Provider[] {
  // The app and the requests end themselves.
  const dispose = (): void => undefined;
  const contextOf = (scope: ResolutionScope): object => {
    if (scope.context) return scope.context();
    throw new Error('RequestContext can only be used during a request');
  };
  return [
    { provide: App, useFactory: app, dispose },
    { provide: LIMITER, useFactory: () => limiter, dispose },
    { provide: RequestContext, scope: 'request', inject: [RESOLUTION], useFactory: contextOf, dispose },
    ...[ToolContext, ResourceContext, PromptContext, CompletionContext].map((provide) => ({
      provide,
      useExisting: RequestContext,
    })),
    {
      provide: PRINCIPAL,
      scope: 'request',
      inject: [RequestContext],
      useFactory: ({ principal }: RequestContext) => principal,
      dispose,
    },
  ];
}

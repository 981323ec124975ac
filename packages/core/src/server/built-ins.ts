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
 * The principal of a request, for services of scope `request`; `undefined` on an unauthenticated transport.
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
 * Counts how often something happens, for guards, middleware and services. It counts in all processes that share the app's
 * backend; without a backend, in this process only.
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

/** Refuses providers that would replace an app's built-in services, because both would then be in use. */
export function checkBuiltIns(
  builtIn: readonly Provider[],
  providers: readonly Provider[],
  diagnostics: Diagnostics,
): void {
  const ids = new Set(builtIn.map(({ provide }) => provide));
  const fix =
    'remove this provider; the principal comes from authentication, in tests from testApp({ principal }), and the limiter from the backend';
  for (const { provide } of providers.filter((provider) => ids.has(provider.provide)))
    diagnostics.at(nameOf(provide)).add('SIGIL_DUPLICATE_PROVIDER', 'the app provides it itself', fix);
}

/** Returns the services that every app provides. */
export function builtIns(app: () => App, limiter: Limiter): Provider[] {
  // The app and the requests end themselves.
  const dispose = (): void => undefined;
  const contextOf = (scope: ResolutionScope): object => {
    if (scope.context) return scope.context();
    throw new Error('there is no request here that RequestContext could be the context of');
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

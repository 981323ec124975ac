import { nameOf, type Provider, type ResolutionScope } from '../container/container.js';
import { RESOLUTION } from '../container/typedi.js';
import { InjectionToken } from '../container/typedi-registry.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import { RequestContext } from '../context/context.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { Principal } from '../protocol/principal.js';
import { App } from './app.js';

/**
 * The principal of a request, for services of scope `request`; `undefined` on an unauthenticated transport.
 *
 * @example
 * private readonly principal = inject(PRINCIPAL);
 */
export const PRINCIPAL: InjectionToken<Principal | undefined> = new InjectionToken('PRINCIPAL');

/** Providers of what every app has: two would tell different things. */
export function builtInProblems(
  builtIn: readonly Provider[],
  providers: readonly Provider[],
): readonly DefinitionProblem[] {
  const ids = new Set(builtIn.map(({ provide }) => provide));
  return providers
    .filter(({ provide }) => ids.has(provide))
    .map(({ provide }) => ({
      code: 'SIGIL_DUPLICATE_PROVIDER',
      where: nameOf(provide),
      what: 'the app provides it itself',
      fix: 'remove this provider; the principal comes from authentication, in tests from testApp({ principal })',
    }));
}

/** What services may inject without anybody providing it. */
export function builtIns(app: () => App): Provider[] {
  // The app and the requests end themselves.
  const dispose = (): void => undefined;
  const contextOf = (scope: ResolutionScope): object => {
    if (scope.context) return scope.context();
    throw new Error('there is no request here that RequestContext could be the context of');
  };
  return [
    { provide: App, useFactory: app, dispose },
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

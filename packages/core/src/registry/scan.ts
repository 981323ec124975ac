import type { Diagnostics } from '../errors/errors.js';
import type { ErrorMapper, GuardLike, MiddlewareLike, ScopeRequirement } from '../context/policies.js';
import type { Declaration } from '../invoke/declaration.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import { KEYS, readOwn } from '../metadata/keys.js';
import { type HandlerMethod, handlersOf, listOf, metadataOf, returnType } from '../metadata/metadata.js';
import { type Constructor, isConstructor } from '../protocol/constructor.js';
import { isDto } from '../schema/index.js';
import { readLimits } from '../invoke/limits.js';
import { bindParameters } from './parameters.js';

const DECORATORS: Readonly<Record<HandlerDefinition['kind'], string>> = {
  tool: '@Tool',
  resource: '@Resource',
  prompt: '@Prompt',
  completion: '@Complete',
};

/** Reads the definitions of service classes, in the order of the classes and of their methods. */
export function scan(services: readonly unknown[], diagnostics: Diagnostics): Declaration[] {
  return [...new Set(services)].flatMap((service) => {
    if (!isConstructor(service)) {
      const fix = 'list only classes; an undefined entry usually means that two files import each other';
      const at = diagnostics.at('createApp({ services })');
      at.add('SIGIL_NOT_A_SERVICE', `${String(service)} is not a class`, fix);
      return [];
    }
    const declarations = scanClass(service, diagnostics);
    if (declarations.length === 0) refuseEmpty(service, diagnostics);
    return declarations;
  });
}

function scanClass(cls: Constructor, diagnostics: Diagnostics): Declaration[] {
  const guards = listOf(KEYS.guards, cls);
  const middleware = listOf(KEYS.middleware, cls);
  const scopes = listOf(KEYS.scopes, cls);
  const limits = listOf(KEYS.limits, cls);
  const errors = listOf(KEYS.errors, cls, undefined, 'own');
  const handlers = handlersOf(cls);
  refuseUnserved(cls, handlers, diagnostics);
  return handlers.flatMap((handler) => {
    const { method, definitions, declarer } = handler;
    const at = diagnostics.at(`${cls.name}.${String(method)}`);
    if (typeof Object.getOwnPropertyDescriptor(declarer, method)?.value !== 'function') {
      at.add(
        'SIGIL_INVALID_OPTIONS',
        'it is an accessor, not a method',
        'decorate a method instead of the accessor',
      );
      return [];
    }
    const shared = {
      where: at.where,
      target: { kind: 'method' as const, cls, method },
      ...returnsOf(handler),
      guards: [...guards, ...listOf(KEYS.guards, cls, method)] as GuardLike[],
      middleware: [...middleware, ...listOf(KEYS.middleware, cls, method)] as MiddlewareLike[],
      scopes: [...scopes, ...listOf(KEYS.scopes, cls, method)] as ScopeRequirement[],
      limits: readLimits([...limits, ...listOf(KEYS.limits, cls, method)], at),
      metadata: metadataOf(cls, method),
      errors: [...listOf(KEYS.errors, cls, method, 'own'), ...errors] as ErrorMapper[],
    };
    return definitions.map((definition) => ({
      definition,
      binding: bindParameters(cls, handler, definition, at),
      ...shared,
    }));
  });
}

const POLICIES = {
  '@UseGuards': KEYS.guards,
  '@UseMiddleware': KEYS.middleware,
  '@RequireScopes': KEYS.scopes,
  '@Limit': KEYS.limits,
  '@MapErrors': KEYS.errors,
} as const;

/** Refuses policies on a method that clients cannot call. Their author probably believes that they can. */
function refuseUnserved(
  cls: Constructor,
  handlers: readonly HandlerMethod[],
  diagnostics: Diagnostics,
): void {
  const prototype = cls.prototype as object;
  const served = new Set(handlers.map(({ method }) => method));
  for (const method of Reflect.ownKeys(prototype).filter((name) => !served.has(name)))
    for (const [name, key] of Object.entries(POLICIES)) {
      if (readOwn(key, prototype, method) === undefined) continue;
      const what = `${name} is on a method that has none of ${Object.values(DECORATORS).join(', ')}`;
      const at = diagnostics.at(`${cls.name}.${String(method)}`);
      at.add('SIGIL_INVALID_POLICY', what, `add one of these decorators to the method, or remove ${name}`);
    }
}

/** Returns the DTO class that a method returns, which describes its results. */
function returnsOf(handler: HandlerMethod): Pick<Declaration, 'returns'> {
  const returned = returnType(handler);
  return isDto(returned) ? { returns: { kind: 'class', cls: returned as Constructor } } : {};
}

/** Reports a service class that has no handlers. */
export function refuseEmpty(
  cls: Constructor,
  diagnostics: Diagnostics,
  kinds?: readonly HandlerDefinition['kind'][],
): void {
  const decorators = kinds?.map((kind) => DECORATORS[kind]) ?? Object.values(DECORATORS);
  const what = `it has no method with ${decorators.join(', ')}`;
  const fix =
    'decorate a method, or remove the class from the list: a service that is only injected need not be listed';
  diagnostics.at(cls.name).add('SIGIL_NO_DEFINITIONS', what, fix);
}

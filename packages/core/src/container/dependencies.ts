import { optionalOf } from '../metadata/service.js';
import { constructorTypes } from '../metadata/store.js';
import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { ServiceId } from './provider.js';
import { injectedAt } from './typedi-registry.js';

/** What a constructor asks for, or the reasons why that cannot be known. */
export interface Dependencies {
  readonly ids: readonly ServiceId[];
  /** Those of the ids that may stay without a service. */
  readonly optional: readonly ServiceId[];
  readonly problems: readonly Problem[];
}

const NOT_INJECTABLE: readonly unknown[] = [
  undefined,
  null,
  Object,
  Function,
  String,
  Number,
  Boolean,
  Array,
];

/** Reads what the constructor of a class needs, from `@Inject` first, then from the emitted types. */
export function dependenciesOf(cls: Constructor): Dependencies {
  const owner = constructorOwner(cls);
  const types = constructorTypes(owner);
  const count = Math.max(owner.length, types?.length ?? 0);
  const ids: ServiceId[] = [];
  const optional: ServiceId[] = [];
  const mayBeEmpty = optionalOf(owner);
  const problems: Problem[] = [];
  for (let index = 0; index < count; index++) {
    const id = injectedAt(owner, index) ?? types?.[index];
    if (!NOT_INJECTABLE.includes(id)) (mayBeEmpty.includes(index) ? optional : ids).push(id as ServiceId);
    // A parameter with a default value is the author's own affair.
    else if (index < owner.length) problems.push(problemAt(cls, index, types));
  }
  return { ids: [...ids, ...optional], optional, problems };
}

function problemAt(cls: Constructor, index: number, types: readonly unknown[] | undefined): Problem {
  const where = `${cls.name}, constructor parameter ${index}`;
  if (types === undefined) {
    return {
      code: 'SIGIL_MISSING_METADATA',
      where,
      what: 'the build emitted no types for the constructor',
      fix: `decorate ${cls.name} with @Service() and build with tsc or swc and "emitDecoratorMetadata" (esbuild and tsx emit none), or write "private readonly x = inject(X)" instead of the parameter`,
    };
  }
  return {
    code: 'SIGIL_ERASED_TYPE',
    where,
    what: 'its type is not a class at run time',
    fix: 'import the class with "import { X }" instead of "import type { X }", or name what to inject with @Inject(TOKEN)',
  };
}

/** The class in the chain whose constructor runs first: a subclass without one inherits its parameters. */
function constructorOwner(cls: Constructor): Constructor {
  const parent = Object.getPrototypeOf(cls) as unknown;
  const declares = constructorTypes(cls) !== undefined || cls.length > 0;
  if (declares || typeof parent !== 'function' || parent === Function.prototype) return cls;
  return constructorOwner(parent as Constructor);
}

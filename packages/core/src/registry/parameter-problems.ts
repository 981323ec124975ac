import type { Problem } from '../errors/definition-error.js';
import type { ParameterDefinition } from '../metadata/definitions.js';

/** The build emitted no types at all. */
export function missingMetadata(where: string): Problem {
  return {
    code: 'SIGIL_MISSING_METADATA',
    where,
    what: 'the build emitted no parameter types',
    fix: 'build with tsc or swc and "emitDecoratorMetadata": true (esbuild, tsx and type stripping emit none), or mark the parameter with @Arg(name, { type: … })',
  };
}

/** The type was there in the source and is gone at run time. */
export function erased(where: string): Problem {
  return {
    code: 'SIGIL_ERASED_TYPE',
    where,
    what: 'its type did not survive compilation: an interface, a union, or a class imported with "import type"',
    fix: 'import the DTO class with "import { X }" instead of "import type { X }", or mark the parameter with @Arg(name)',
  };
}

/** The type is there, and is nothing a handler can receive. */
export function invalidParameter(where: string, type: unknown): Problem {
  const name = (type as { name?: string }).name ?? String(type);
  const isPrimitive = [String, Number, Boolean, Array, BigInt, Date].includes(type as never);
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: isPrimitive
      ? `a ${name} needs to know which argument it receives`
      : `${name} is neither a DTO (it has no class-validator decorators) nor a context`,
    fix: isPrimitive
      ? 'mark it with @Arg(name) in a tool or prompt, or @Param(name) in a resource'
      : `decorate the properties of ${name} with class-validator, or inject ${name} through the constructor`,
  };
}

/** `@Param` outside a resource, or `@Arg` inside one. */
export function wrongDecorator(where: string, parameter: ParameterDefinition): Problem {
  const isParam = parameter.kind === 'param';
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: isParam ? '@Param belongs to resources' : '@Arg belongs to tools and prompts',
    fix: isParam ? `use @Arg('${parameter.name}')` : `use @Param('${parameter.name}')`,
  };
}

/** A parameter behind one with an initialiser: JavaScript does not say whether it has one itself. */
export function undecided(where: string, { kind, name }: ParameterDefinition): Problem {
  const decorator = kind === 'param' ? 'Param' : 'Arg';
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: `it stands behind a parameter with an initialiser, so it is not known whether '${name}' may be left out`,
    fix: `say it: @${decorator}('${name}', { optional: true }), { optional: false } or { default: … }; or move it to the front`,
  };
}

/** More than one source of arguments. */
export function mixed(where: string): Problem {
  return {
    code: 'SIGIL_MIXED_PARAMETERS',
    where,
    what: 'it takes its arguments in two ways',
    fix: 'take one DTO class, or single values with @Arg, not both',
  };
}

/** A parameter has one source. */
export function decoratedTwice(where: string): Problem {
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: 'two decorators say where its value comes from',
    fix: 'leave one of them: @Arg, @Param, @Principal or one of your own',
  };
}

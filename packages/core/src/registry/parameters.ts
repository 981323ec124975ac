import { isContextClass, type RequestContext } from '../context/context.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { HandlerDefinition, ParameterDefinition, SchemaLike } from '../metadata/definitions.js';
import { isStandardSchema } from '../protocol/standard-schema.js';
import { type HandlerMethod, parametersOf, parameterTypes } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { isDto, type PropertyDeclaration, type SchemaSource } from '../schema/index.js';
import type { Binding, ParameterBinding } from './declaration.js';
import { placeOf } from './names.js';

/** Works out where every parameter of a handler gets its value, and what schema its arguments have. */
export function bindParameters(
  cls: Constructor,
  handler: HandlerMethod,
  definition: HandlerDefinition,
  problems: DefinitionProblem[],
): Binding {
  const { method } = handler;
  const types = parameterTypes(handler);
  const marked = parametersOf(handler);
  const decorated = new Map(marked.map((parameter) => [parameter.index, parameter]));
  marked.forEach(({ index }, at) => {
    if (marked[at + 1]?.index === index)
      problems.push(decoratedTwice(`${placeOf(cls, method)}, parameter ${index}`));
  });
  const length = (cls.prototype as Record<string | symbol, { length?: number }>)[method]?.length ?? 0;
  const count = Math.max(length, types?.length ?? 0, ...[...decorated.keys()].map((index) => index + 1));
  const explicit = 'input' in definition ? definition.input : undefined;
  const parameters: ParameterBinding[] = [];
  const properties: PropertyDeclaration[] = [];
  const classes: Constructor[] = [];

  for (let index = 0; index < count; index++) {
    const where = `${placeOf(cls, method)}, parameter ${index}`;
    const parameter = decorated.get(index);
    const type = types?.[index];
    if (parameter?.kind === 'custom') {
      parameters.push({ from: 'custom', value: parameter.value as (context: RequestContext) => unknown });
    } else if (parameter) {
      if ((parameter.kind === 'param') !== (definition.kind === 'resource'))
        problems.push(wrongDecorator(where, parameter));
      if (parameter.initialiser === 'unknown' && parameter.optional === undefined)
        problems.push(undecided(where, parameter));
      properties.push(propertyOf(parameter, type));
      parameters.push({ from: 'argument', name: parameter.name });
    } else if (isContextClass(type)) parameters.push({ from: 'context' });
    else if (definition.kind === 'completion' && (type === String || type === undefined))
      parameters.push({ from: 'arguments' });
    else if (explicit !== undefined)
      parameters.push(types === undefined && index > 0 ? { from: 'context' } : { from: 'arguments' });
    else if (isDto(type)) {
      classes.push(type as Constructor);
      parameters.push({ from: 'arguments' });
    } else problems.push(problemWith(where, types, type));
  }

  if (classes.length > 1 || (classes.length > 0 && properties.length > 0))
    problems.push(mixed(placeOf(cls, method)));
  problems.push(...duplicates(placeOf(cls, method), properties));
  return { parameters, source: sourceOf(definition, classes[0], properties) };
}

/**
 * The source of a schema that an author gave.
 * @param groups the groups of class-validator whose rules apply to a class.
 */
export function explicitSource(schema: SchemaLike, groups?: readonly string[]): SchemaSource {
  if (isStandardSchema(schema)) return { kind: 'standard', schema };
  if (typeof schema === 'function') return classSource(schema, groups);
  if (Array.isArray(schema)) return { kind: 'array', cls: (schema as readonly [Constructor])[0] };
  return { kind: 'schema', schema: schema as JsonSchema };
}

function sourceOf(
  definition: HandlerDefinition,
  cls: Constructor | undefined,
  properties: readonly PropertyDeclaration[],
): SchemaSource {
  const groups = groupsOf(definition);
  if ('input' in definition && definition.input !== undefined)
    return explicitSource(definition.input, groups);
  if (cls) return classSource(cls, groups);
  return properties.length > 0 ? { kind: 'properties', properties } : { kind: 'none' };
}

/** The groups of rules a definition asks for. */
export function groupsOf(definition: HandlerDefinition): readonly string[] | undefined {
  return 'groups' in definition ? definition.groups : undefined;
}

function classSource(cls: Constructor, groups: readonly string[] | undefined): SchemaSource {
  return groups === undefined ? { kind: 'class', cls } : { kind: 'class', cls, groups };
}

function propertyOf(parameter: ParameterDefinition, reflected: unknown): PropertyDeclaration {
  const { name, optional, initialiser, keywords } = parameter;
  const type = typeof parameter.type === 'function' ? typeFrom(parameter.type) : reflected;
  const items = typeof parameter.items === 'function' ? typeFrom(parameter.items) : undefined;
  return {
    name,
    required: !(optional ?? initialiser === 'own'),
    keywords,
    ...(type === undefined ? {} : { type }),
    ...(items === undefined ? {} : { items }),
  };
}

const SCALARS: ReadonlySet<unknown> = new Set([String, Number, Boolean, Date]);

/** A function that gives a type, or one of the types that are functions themselves. */
function typeFrom(type: unknown): unknown {
  return SCALARS.has(type) ? type : (type as () => unknown)();
}

function problemWith(where: string, types: readonly unknown[] | undefined, type: unknown): DefinitionProblem {
  if (types === undefined) return missingMetadata(where);
  if (type === undefined || type === Object || type === Function) return erased(where);
  return invalidParameter(where, type);
}

function duplicates(where: string, properties: readonly PropertyDeclaration[]): DefinitionProblem[] {
  const names = properties.map((property) => property.name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => ({
    code: 'SIGIL_DUPLICATE_ARGUMENT',
    where,
    what: `two parameters are called '${name}'`,
    fix: 'give each @Arg a name of its own',
  }));
}

/** The build emitted no types at all. */
function missingMetadata(where: string): DefinitionProblem {
  return {
    code: 'SIGIL_MISSING_METADATA',
    where,
    what: 'the build emitted no parameter types',
    fix: 'build with tsc or swc and "emitDecoratorMetadata": true (esbuild, tsx and type stripping emit none), or mark the parameter with @Arg(name, { type: … })',
  };
}

/** The type was there in the source and is gone at run time. */
function erased(where: string): DefinitionProblem {
  return {
    code: 'SIGIL_ERASED_TYPE',
    where,
    what: 'its type did not survive compilation: an interface, a union, or a class imported with "import type"',
    fix: 'import the DTO class with "import { X }" instead of "import type { X }", or mark the parameter with @Arg(name)',
  };
}

/** The type is there, and is nothing a handler can receive. */
function invalidParameter(where: string, type: unknown): DefinitionProblem {
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
function wrongDecorator(where: string, parameter: ParameterDefinition): DefinitionProblem {
  const isParam = parameter.kind === 'param';
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: isParam ? '@Param belongs to resources' : '@Arg belongs to tools and prompts',
    fix: isParam ? `use @Arg('${parameter.name}')` : `use @Param('${parameter.name}')`,
  };
}

/** A parameter behind one with an initialiser: JavaScript does not say whether it has one itself. */
function undecided(where: string, { kind, name }: ParameterDefinition): DefinitionProblem {
  const decorator = kind === 'param' ? 'Param' : 'Arg';
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: `it stands behind a parameter with an initialiser, so it is not known whether '${name}' may be left out`,
    fix: `say it: @${decorator}('${name}', { optional: true }), { optional: false } or { default: … }; or move it to the front`,
  };
}

/** More than one source of arguments. */
function mixed(where: string): DefinitionProblem {
  return {
    code: 'SIGIL_MIXED_PARAMETERS',
    where,
    what: 'it takes its arguments in two ways',
    fix: 'take one DTO class, or single values with @Arg, not both',
  };
}

/** A parameter has one source. */
function decoratedTwice(where: string): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_PARAMETER',
    where,
    what: 'two decorators say where its value comes from',
    fix: 'leave one of them: @Arg, @Param, @Principal or one of your own',
  };
}

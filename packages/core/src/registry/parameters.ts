import { type Diagnostics, EMIT_METADATA, messageOf } from '../errors/errors.js';
import { isContextClass, type RequestContext } from '../context/context.js';
import type { Binding, ParameterBinding } from '../invoke/declaration.js';
import type { HandlerDefinition, ParameterDefinition, SchemaLike } from '../metadata/definitions.js';
import { isStandardSchema } from '../protocol/standard-schema.js';
import { type HandlerMethod, parametersOf, parameterTypes } from '../metadata/metadata.js';
import { type Constructor, isConstructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import { hasClassValidator, isDto, type PropertyDeclaration, type SchemaSource } from '../schema/index.js';

/**
 * Finds the source of each handler parameter, and the schema of the arguments.
 *
 * @param at the diagnostics of the handler, which receive the problems of its parameters.
 */
export function bindParameters(
  cls: Constructor,
  handler: HandlerMethod,
  definition: HandlerDefinition,
  at: Diagnostics,
): Binding {
  const { method } = handler;
  const types = parameterTypes(handler);
  const marked = parametersOf(handler);
  const decorated = new Map(marked.map((parameter) => [parameter.index, parameter]));
  marked.forEach(({ index }, place) => {
    if (marked[place + 1]?.index === index)
      at.at(`parameter ${index}`).add(
        'SIGIL_INVALID_PARAMETER',
        'it has two decorators that set its value',
        'keep only one of them: @Arg, @Param, @Principal or your own',
      );
  });
  const length = (cls.prototype as Record<string | symbol, { length?: number }>)[method]?.length ?? 0;
  const count = Math.max(length, types?.length ?? 0, ...[...decorated.keys()].map((index) => index + 1));
  const explicit = 'input' in definition ? definition.input : undefined;
  const unmarked = Array.from({ length: count }, (_, index) => index).filter(
    (index) => !decorated.has(index),
  );
  const parameters: ParameterBinding[] = [];
  const properties: PropertyDeclaration[] = [];
  const classes: Constructor[] = [];

  for (let index = 0; index < count; index++) {
    const here = at.at(`parameter ${index}`);
    const parameter = decorated.get(index);
    const type = types?.[index];
    if (parameter?.kind === 'custom') {
      parameters.push({ from: 'custom', value: parameter.value as (context: RequestContext) => unknown });
    } else if (parameter) {
      if ((parameter.kind === 'param') !== (definition.kind === 'resource')) refuseDecorator(parameter, here);
      if (parameter.initialiser === 'unknown' && parameter.optional === undefined)
        refuseUndecided(parameter, here);
      if (typeof parameter.keywords['required'] === 'boolean') refuseRequired(parameter, here);
      checkArgument(parameter, here);
      properties.push(propertyOf(parameter, types, here));
      parameters.push({ from: 'argument', name: parameter.name });
    } else if (isContextClass(type)) parameters.push({ from: 'context' });
    else if (types === undefined && isUntypedContext(index, unmarked, marked, definition))
      parameters.push({ from: 'context' });
    else if (definition.kind === 'completion' && (type === String || type === undefined))
      parameters.push({ from: 'argument', name: definition.argument });
    else if (explicit !== undefined) parameters.push({ from: 'arguments' });
    else if (isDto(type)) {
      classes.push(type as Constructor);
      parameters.push({ from: 'arguments' });
    } else refuseType(types, type, here);
  }

  if (classes.length > 1 || (classes.length > 0 && properties.length > 0)) {
    const names = classes.map(({ name }) => name).join(' and ');
    at.add(
      'SIGIL_MIXED_PARAMETERS',
      `the handler takes its arguments as ${names}${properties.length > 0 ? ', and as single values' : ', but one class must describe all arguments'}`,
      'use either one DTO class, or single values with @Arg',
    );
  }
  refuseDuplicates(properties, at);
  return { parameters, source: sourceOf(definition, classes[0], properties) };
}

/**
 * Whether a parameter without a decorator can only be the context, if the compiler emitted no types of
 * parameters.
 */
function isUntypedContext(
  index: number,
  unmarked: readonly number[],
  marked: readonly { readonly kind: string }[],
  definition: HandlerDefinition,
): boolean {
  // Typed text, or the value that `input` describes, comes first.
  if (definition.kind === 'completion' || ('input' in definition && definition.input !== undefined))
    return index !== unmarked[0];
  if (unmarked.length > 1) return false;
  // Beside single arguments there is no DTO; a lone parameter could be one, if class-validator is installed.
  return marked.some(({ kind }) => kind !== 'custom') || !hasClassValidator();
}

/**
 * Returns a schema that an author passed, together with its kind, such as `class` or `standard`.
 * @param groups the groups of class-validator whose rules apply to a class.
 */
export function explicitSource(schema: SchemaLike, groups?: readonly string[]): SchemaSource {
  if (isStandardSchema(schema)) return { kind: 'standard', schema };
  if (typeof schema === 'function') return classSource(schema, groups);
  const [cls, ...others]: readonly unknown[] = Array.isArray(schema) ? schema : [];
  if (isConstructor(cls) && others.length === 0) return { kind: 'array', cls };
  // Anything but a list of one class is refused as an invalid schema.
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

/** Returns the groups of validation rules that a definition uses. */
export function groupsOf(definition: HandlerDefinition): readonly string[] | undefined {
  return 'groups' in definition ? definition.groups : undefined;
}

function classSource(cls: Constructor, groups: readonly string[] | undefined): SchemaSource {
  return groups === undefined ? { kind: 'class', cls } : { kind: 'class', cls, groups };
}

function propertyOf(
  parameter: ParameterDefinition,
  types: readonly unknown[] | undefined,
  at: Diagnostics,
): PropertyDeclaration {
  const { name, optional, initialiser, keywords } = parameter;
  const type =
    typeof parameter.type === 'function' ? typeFrom(parameter.type, 'type', at) : types?.[parameter.index];
  const items = typeof parameter.items === 'function' ? typeFrom(parameter.items, 'items', at) : undefined;
  return {
    name,
    decorator: decoratorOf(parameter),
    untyped: types === undefined,
    required: !(optional ?? initialiser === 'own'),
    keywords,
    ...(type === undefined ? {} : { type }),
    ...(items === undefined ? {} : { items }),
  };
}

function decoratorOf({ kind }: ParameterDefinition): '@Arg' | '@Param' {
  return kind === 'param' ? '@Param' : '@Arg';
}

const SCALARS: ReadonlySet<unknown> = new Set([String, Number, Boolean, Date]);
const BUILT_INS: ReadonlySet<unknown> = new Set([...SCALARS, Array, BigInt]);

/** Returns a type. `type` is the type itself, such as a class or `String`, or a function that returns it. */
function typeFrom(type: unknown, option: 'type' | 'items', at: Diagnostics): unknown {
  const isType = SCALARS.has(type) || /^class\b/.test(Function.prototype.toString.call(type));
  try {
    return isType ? type : (type as () => unknown)();
  } catch (error) {
    const fix = `pass a function that returns the type, such as ${option}: () => Address; the module of the type must have been loaded`;
    at.add('SIGIL_INVALID_PARAMETER', `its function "${option}" failed: ${messageOf(error)}`, fix);
    // Any type: that none is known would be the same mistake again.
    return String;
  }
}

/** Validates `@Arg` or `@Param`, except JSON Schema keywords, which are validated with the schema. */
function checkArgument(parameter: ParameterDefinition, at: Diagnostics): void {
  const { name, optional } = parameter;
  const decorator = decoratorOf(parameter);
  const given: unknown = name;
  if (typeof given !== 'string' || given === '')
    at.add(
      'SIGIL_INVALID_PARAMETER',
      `the first argument of ${decorator} must be a string that is not empty, but it is ${given === '' ? "''" : String(given)}`,
      `pass the name that clients send, for example ${decorator}('city')`,
    );
  if (!['undefined', 'boolean'].includes(typeof optional))
    at.add(
      'SIGIL_INVALID_PARAMETER',
      `"optional" of ${decorator}('${name}') must be true or false`,
      'write { optional: true }, or leave it out',
    );
}

/** Refuses the keyword `required` as other frameworks use it. JSON Schema has another meaning for it. */
function refuseRequired(parameter: ParameterDefinition, at: Diagnostics): void {
  at.add(
    'SIGIL_INVALID_PARAMETER',
    `"required" of ${decoratorOf(parameter)}('${parameter.name}') must be a list of property names, as in JSON Schema`,
    'write { optional: true } for an optional argument; all others are required anyway',
  );
}

/** Refuses a parameter that has no decorator and no type that could determine its value. */
function refuseType(types: readonly unknown[] | undefined, type: unknown, at: Diagnostics): void {
  if (types === undefined) {
    return at.add(
      'SIGIL_MISSING_METADATA',
      'the compiler emitted no decorator metadata, so the type of the parameter is not known',
      `${EMIT_METADATA}, or mark the parameter: @Arg(name, { type: … }) for an argument, @Ctx() for the context; if you use standard decorators, which cannot decorate parameters, describe the arguments with the option "input"`,
    );
  }
  if (type === undefined || type === Object || type === Function) {
    return at.add(
      'SIGIL_ERASED_TYPE',
      'its type does not exist at run time, because it is an interface, a union, or a class imported with "import type"',
      'import the DTO class with "import { X }" instead of "import type { X }", or mark the parameter with @Arg(name)',
    );
  }
  const { name } = type as Constructor;
  if (BUILT_INS.has(type)) {
    return at.add(
      'SIGIL_INVALID_PARAMETER',
      `Sigil cannot tell which argument this parameter of type ${name} receives`,
      'mark it with @Arg(name) in a tool or prompt, or @Param(name) in a resource',
    );
  }
  return at.add(
    'SIGIL_INVALID_PARAMETER',
    `${name} is neither a DTO (it has no class-validator decorators) nor a context`,
    `decorate the properties of ${name} with class-validator, or inject ${name} through the constructor`,
  );
}

function refuseDuplicates(properties: readonly PropertyDeclaration[], at: Diagnostics): void {
  const names = properties.map((property) => property.name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    at.add(
      'SIGIL_DUPLICATE_ARGUMENT',
      `two parameters are called '${name}'`,
      'use a different name for each @Arg',
    );
}

/** Refuses `@Param` outside a resource, and `@Arg` inside a resource. */
function refuseDecorator({ kind, name }: ParameterDefinition, at: Diagnostics): void {
  if (kind === 'param')
    at.add('SIGIL_INVALID_PARAMETER', '@Param belongs to resources', `use @Arg('${name}')`);
  else at.add('SIGIL_INVALID_PARAMETER', '@Arg belongs to tools and prompts', `use @Param('${name}')`);
}

/**
 * Refuses a parameter after one with an initialiser. JavaScript does not tell whether the later parameter has
 * an initialiser.
 */
function refuseUndecided(parameter: ParameterDefinition, at: Diagnostics): void {
  const { name } = parameter;
  at.add(
    'SIGIL_INVALID_PARAMETER',
    `'${name}' follows a parameter with an initialiser, so Sigil cannot tell whether '${name}' is optional`,
    `set { optional: true }, { optional: false } or { default: … } in ${decoratorOf(parameter)}('${name}'), or move the parameter before all parameters with initialisers`,
  );
}

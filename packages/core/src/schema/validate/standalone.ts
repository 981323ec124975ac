import type { AnyValidateFunction } from 'ajv/dist/core.js';
import { _Code, type Code } from 'ajv/dist/compile/codegen/code.js';
import type { ScopeValueSets, UsedScopeValues, ValueScopeName } from 'ajv/dist/compile/codegen/scope.js';
import equal from 'ajv/dist/runtime/equal.js';
import { isObject, type JsonSchema } from '../../protocol/json.js';
import { type AjvClass, classOf, instanceOf } from './ajv.js';
import type { CompileOptions, SchemaDialect } from './compiled-schema.js';

/**
 * Writes validators as code that `prepared.ts` runs.
 *
 * @returns the text of a function: the validator of a schema, as ajv compiles it.
 * @throws Error when the schema does not compile; a SyntaxError when a pattern of it is no regular expression.
 */
export async function loadCodeWriter(
  dialect: SchemaDialect,
): Promise<(schema: JsonSchema, options: CompileOptions) => string> {
  const Ajv = await classOf(dialect);
  return (schema, options) => codeOf(Ajv, schema, options);
}

type SourceCode = NonNullable<AnyValidateFunction['source']>;

interface Compiled {
  readonly source?: SourceCode;
}

function codeOf(Ajv: AjvClass, schema: JsonSchema, options: CompileOptions): string {
  const ajv = instanceOf(Ajv, options, true);
  const { source } = ajv.compile(schema) as Compiled;
  if (!source) throw new Error('ajv has written no code');
  const used: UsedScopeValues = {};
  const written = new Set<string>();
  const paths = pathsIn(schema);
  const declared = (name: ValueScopeName): Code | undefined => {
    const { prefix, value } = name;
    const ref: unknown = value?.ref;
    if (prefix === 'validate' && typeof ref === 'function') return write((ref as Compiled).source);
    if ((prefix === 'root' || prefix === 'wrapper') && isObject(ref)) {
      // A schema that refers to itself.
      const { validate, validateName } = ref as {
        readonly validate?: Compiled;
        readonly validateName?: unknown;
      };
      const within = write(validate?.source);
      return new _Code(`const ${String(name)} = {validate: ${String(validateName)}};\n${String(within)}`);
    }
    return undefined;
  };
  const write = (part: SourceCode | undefined): Code => {
    if (!part || written.has(String(part.validateName))) return new _Code('');
    written.add(String(part.validateName));
    for (const name of Object.values(part.scopeValues).flatMap((names) => [...(names ?? [])])) {
      const code = givenFor(name, paths);
      if (code !== undefined && name.value) name.value.code = new _Code(code);
    }
    const values = ajv.scope.scopeCode(part.scopeValues as ScopeValueSets, used, declared);
    const evaluated = part.evaluated
      ? `\n${String(part.validateName)}.evaluated = ${String(part.evaluated)};`
      : '';
    return new _Code(`${String(values)}\n${part.validateCode}${evaluated}`);
  };
  return `(schema, run) => {\n${String(write(source))}\nreturn ${String(source.validateName)};\n}`;
}

/** What a validator is given, where ajv would write it down: what a violation tells of its schema must be the object that knows rules. */
function givenFor(
  { prefix, value }: ValueScopeName,
  paths: ReadonlyMap<unknown, string>,
): string | undefined {
  const ref: unknown = value?.ref;
  const path = prefix === 'schema' ? paths.get(ref) : undefined;
  if (path !== undefined) return `schema${path}`;
  return ref === equal.default ? 'run.equal' : undefined;
}

/** Where each object of a schema is, as code that follows its name. */
function pathsIn(root: JsonSchema): Map<unknown, string> {
  const paths = new Map<unknown, string>([[root, '']]);
  for (const [at, path] of paths)
    for (const [name, member] of Object.entries(at as object))
      if (typeof member === 'object' && member !== null && !paths.has(member))
        paths.set(member, `${path}[${JSON.stringify(name)}]`);
  return paths;
}

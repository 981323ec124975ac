import type { Diagnostics } from '../errors/errors.js';
import type { Declaration } from '../invoke/declaration.js';
import { isObject, type JsonSchema, propertiesOf } from '../protocol/json.js';
import { cacheFaults, type CacheOptions } from '../protocol/results.js';
import { HEADER_KEYWORD, type MirroredArgument, type PromptArgument } from '../protocol/descriptors.js';
import type { ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { UriTemplate } from '../protocol/uri-template/parse.js';
import type { ValuePlan } from '../schema/index.js';

/** A token, such as the name of a header (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PREFIX = 'mcp-param-';
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * Returns the tool arguments that have the keyword `x-mcp-header` in the schema. Clients repeat these arguments in HTTP
 * headers. Reports invalid uses of the keyword (specification 2026-07-28, basic/transports/streamable-http, "Schema
 * Extension").
 *
 * @param at receives the problems.
 */
export function mirroredArguments(schema: JsonSchema, at: Diagnostics): MirroredArgument[] {
  const found: MirroredArgument[] = [];
  const refuse = (what: string): void => {
    at.add(
      'SIGIL_INVALID_SCHEMA',
      what,
      'use @McpHeader only on a string, integer or boolean that is not inside a list ("items"), an alternative ("anyOf") or a reference ("$ref"); give each header its own name, for example Region',
    );
  };

  function take(property: JsonSchema, path: readonly string[] | undefined): void {
    const name = property[HEADER_KEYWORD];
    if (name === undefined) return;
    if (typeof name !== 'string' || !TOKEN.test(name))
      return refuse(`${JSON.stringify(name)} is not a valid header name`);
    if (!path)
      return refuse(
        `the header ${name} is on a schema inside a keyword such as "items" or "anyOf", but it is only allowed on schemas in "properties"`,
      );
    const { type } = property;
    if (!TYPES.includes(type))
      return refuse(`the argument for the header ${name} is not a string, integer or boolean`);
    const header = `${PREFIX}${name.toLowerCase()}`;
    if (found.some((other) => other.header === header))
      return refuse(`two arguments have the header ${name}`);
    found.push({ header, path, type: type as MirroredArgument['type'] });
  }

  function visit(value: unknown, path: readonly string[] | undefined): void {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, undefined));
    if (!isObject(value)) return;
    if (path === undefined || path.length > 0) take(value, path);
    for (const [keyword, member] of Object.entries(value)) {
      if (keyword !== 'properties' || !isObject(member)) visit(member, undefined);
      else for (const [name, property] of Object.entries(member)) visit(property, path && [...path, name]);
    }
  }

  visit(schema, []);
  return found;
}

const SECRET =
  /^key$|password|passphrase|passwd|secret|token|credential|authorization|(?:api|access|private|secret|signing)key/;

/**
 * Whether the name of an argument suggests a secret, which must not be sent in a header (specification
 * 2026-07-28, server/tools, "x-mcp-header").
 */
export function isSecret({ header, path, type }: MirroredArgument): boolean {
  const names = [header.slice(PREFIX.length), path.at(-1) ?? ''];
  return type === 'string' && names.some((name) => SECRET.test(name.toLowerCase().replace(/[^a-z0-9]/g, '')));
}

/** The description of a valid `icons` option, for error messages. */
export const ICONS =
  "a list of objects whose src is a string, such as [{ src: 'https://example.com/icon.png' }]";

/** Whether a value is a valid list of icons. */
export function areIcons(value: unknown): boolean {
  return Array.isArray(value) && value.every((icon) => isObject(icon) && typeof icon['src'] === 'string');
}

const POLICIES: readonly unknown[] = ['reject', 'strip', 'keep'];

/** Whether a value is valid for the option `unknownProperties`. */
export function isUnknownProperties(value: unknown): boolean {
  return POLICIES.includes(value);
}

/** Checks a tool's option `unknownProperties`. */
export function checkUnknownProperties({ unknownProperties }: ToolDefinition, at: Diagnostics): void {
  if (unknownProperties === undefined || isUnknownProperties(unknownProperties)) return;
  at.at('unknownProperties').add(
    'SIGIL_INVALID_OPTIONS',
    `it must be 'reject', 'strip' or 'keep'`,
    'use one of these values, or leave it out to use the option of the app',
  );
}

/**
 * Reports template variables that no handler parameter receives, and handler parameters for variables that the template
 * does not have.
 */
export function checkVariables(
  { binding: { source } }: Declaration<ResourceDefinition>,
  template: UriTemplate,
  input: ValuePlan,
  at: Diagnostics,
): void {
  // A schema by hand that names no properties takes them all.
  if (source.kind === 'schema' && !('properties' in source.schema)) return;
  // The advertised schema has no parameters at all if one of them has a fault.
  const received =
    source.kind === 'properties'
      ? source.properties.map(({ name }) => name)
      : Object.keys(propertiesOf(input.advertised));
  const { variables } = template;
  const known = variables.length > 0 ? variables.join(', ') : 'none';
  for (const name of received.filter((one) => !variables.includes(one)))
    at.add(
      'SIGIL_UNKNOWN_VARIABLE',
      `a parameter needs the variable '${name}', which '${template.source}' does not have`,
      `use a variable of the template (${known}), or add {${name}} to it`,
    );
  for (const name of variables.filter((one) => !received.includes(one)))
    at.add(
      'SIGIL_UNBOUND_VARIABLE',
      `no parameter receives the variable '${name}' of '${template.source}'`,
      `add a parameter @Param('${name}') ${name}: string, or remove {${name}} from the template`,
    );
}

/** Lists the arguments of a prompt, from the schema of its handler. */
export function promptArguments(schema: JsonSchema): PromptArgument[] {
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  return Object.entries(propertiesOf(schema)).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      required: required.has(name),
    };
  });
}

/** A date and time in RFC 3339, as the schema of the specification requires for `lastModified`. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

const ROLES: readonly unknown[] = ['user', 'assistant'];

/** A key of `_meta`: a name, with an optional prefix (specification 2026-07-28, basic, section "_meta"). */
const META_KEY = /^(?:([^/]*)\/)?([^/]*)$/;
const META_LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const META_NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;
const RESERVED_LABELS: readonly (string | undefined)[] = ['modelcontextprotocol', 'mcp'];
const RESERVED_NAMES: readonly string[] = ['progressToken', 'traceparent', 'tracestate', 'baggage'];

/** Returns the reason why an author must not use a key of `_meta`; `undefined` if the key is allowed. */
export function metaKeyFault(key: string): string | undefined {
  const [, prefix, name = ''] = META_KEY.exec(key) ?? [];
  const labels = prefix?.split('.') ?? [];
  if (
    !META_KEY.test(key) ||
    !META_NAME.test(name) ||
    !labels.every((label) => META_LABEL.test(label)) ||
    key === ''
  )
    return 'is not a valid key';
  const isReserved = RESERVED_LABELS.includes(labels[1]?.toLowerCase()) || RESERVED_NAMES.includes(key);
  return isReserved ? 'is reserved by the protocol' : undefined;
}

/** Validates a definition's cache options. */
export function checkCache(cache: CacheOptions, at: Diagnostics): void {
  const faults = isObject(cache) ? cacheFaults(cache) : [{ member: undefined, expected: 'an object' }];
  for (const { member, expected } of faults)
    at.at(member === undefined ? 'cache' : `cache.${member}`).add(
      'SIGIL_INVALID_OPTIONS',
      `it must be ${expected}`,
      "use a valid value, or leave it out: the app's setting then applies",
    );
}

/**
 * Checks the annotations and the size of a resource (specification 2026-07-28, server/resources, "Annotations").
 *
 * @param annotations the unvalidated annotations from the author.
 * @param size the unvalidated size from the author, in bytes.
 */
export function checkAnnotations(annotations: unknown, size: unknown, at: Diagnostics): void {
  const refuse = (member: string, expected: string): void =>
    at
      .at(member)
      .add('SIGIL_INVALID_OPTIONS', `it must be ${expected}`, 'set such a value, or leave the option out');
  if (annotations !== undefined && !isObject(annotations)) refuse('annotations', 'an object');
  const { audience, priority, lastModified } = isObject(annotations) ? annotations : {};
  if (audience !== undefined && !isAudience(audience))
    refuse('annotations.audience', `a list with 'user', 'assistant' or both`);
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    refuse('annotations.priority', 'a number from 0 to 1');
  if (lastModified !== undefined && !isDateTime(lastModified))
    refuse('annotations.lastModified', 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"');
  if (size !== undefined && !(Number.isInteger(size) && Number(size) >= 0))
    refuse('size', 'a number of bytes: 0 or a positive integer');
}

function isAudience(audience: unknown): boolean {
  return Array.isArray(audience) && audience.every((role) => ROLES.includes(role));
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}

import type { DefinitionProblem } from '../errors/errors.js';
import { isObject, type JsonSchema } from '../protocol/json.js';
import { HEADER_KEYWORD, type MirroredArgument, type PromptArgument } from '../protocol/descriptors.js';
import type { ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { UriTemplate } from '../protocol/uri-template/parse.js';
import type { ValuePlan } from '../schema/index.js';
import type { Declaration } from './declaration.js';

/** RFC 9110 §5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * Finds the arguments of a tool that clients repeat in headers, and holds them against the rules for those
 * (2026-07-28, basic/transports/streamable-http, "Schema Extension").
 *
 * @param problems receives every rule that is broken.
 */
export function mirroredArguments(
  schema: JsonSchema,
  where: string,
  problems: DefinitionProblem[],
): MirroredArgument[] {
  const found: MirroredArgument[] = [];
  const refuse = (what: string): void => void problems.push(problem(where, what));

  function take(property: JsonSchema, path: readonly string[] | undefined): void {
    const name = property[HEADER_KEYWORD];
    if (name === undefined) return;
    if (typeof name !== 'string' || !TOKEN.test(name))
      return refuse(`${JSON.stringify(name)} is no name of a header`);
    if (!path) return refuse(`the header ${name} is not on a property that "properties" alone lead to`);
    const { type } = property;
    if (!TYPES.includes(type))
      return refuse(`the argument for the header ${name} is no string, integer or boolean`);
    const header = `mcp-param-${name.toLowerCase()}`;
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

function problem(where: string, what: string): DefinitionProblem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where,
    what,
    fix: 'put @McpHeader with a unique token name on a string, integer or boolean that no list, alternative or reference leads to',
  };
}

const POLICIES: readonly unknown[] = ['reject', 'strip', 'keep'];

/** Whether a value says what becomes of undeclared arguments. */
export function isUnknownProperties(value: unknown): boolean {
  return POLICIES.includes(value);
}

/** What is wrong with how a tool says that it treats arguments. */
export function argumentProblems({ unknownProperties }: ToolDefinition, where: string): DefinitionProblem[] {
  if (unknownProperties === undefined || isUnknownProperties(unknownProperties)) return [];
  return [
    {
      code: 'SIGIL_INVALID_OPTIONS',
      where: `${where}, unknownProperties`,
      what: `it must be 'reject', 'strip' or 'keep'`,
      fix: 'say which, or leave it out to have undeclared arguments rejected',
    },
  ];
}

/** Holds the variables of a URI template against what its handler receives, in both directions. */
export function checkVariables(
  declaration: Declaration<ResourceDefinition>,
  template: UriTemplate,
  input: ValuePlan,
): DefinitionProblem[] {
  const { properties = {} } = input.advertised;
  // A schema by hand that names no properties takes them all.
  const { source } = declaration.binding;
  if (source.kind === 'schema' && !('properties' in source.schema)) return [];
  const received = Object.keys(properties as object);
  const unknown = received.filter((name) => !template.variables.includes(name));
  const unbound = template.variables.filter((name) => !received.includes(name));
  const known = template.variables.length > 0 ? template.variables.join(', ') : 'none';
  return [
    ...unknown.map((name) => ({
      code: 'SIGIL_UNKNOWN_VARIABLE' as const,
      where: declaration.where,
      what: `it asks for the variable '${name}', which '${template.source}' does not have`,
      fix: `use a variable of the template (${known}), or add {${name}} to it`,
    })),
    ...unbound.map((name) => ({
      code: 'SIGIL_UNBOUND_VARIABLE' as const,
      where: declaration.where,
      what: `nothing receives the variable '${name}' of '${template.source}'`,
      fix: `add a parameter @Param('${name}') ${name}: string, or take {${name}} out of the template`,
    })),
  ];
}

/** The arguments of a prompt, read off the schema of its handler. */
export function promptArguments(schema: JsonSchema): PromptArgument[] {
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : []);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = property as { title?: string; description?: string };
    return {
      name,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      required: required.has(name),
    };
  });
}

/** RFC 3339, as the schema of the specification has it for `lastModified`. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

const ROLES: readonly unknown[] = ['user', 'assistant'];

interface Fault {
  readonly member: string;
  readonly expected: string;
}

/**
 * Everything wrong with the annotations and the size of a resource (2026-07-28, server/resources, "Annotations").
 *
 * @param annotations as the author wrote them.
 * @param size in bytes, as the author wrote it.
 * @param where the place in the author's words.
 */
export function annotationProblems(annotations: unknown, size: unknown, where: string): DefinitionProblem[] {
  const faults = annotations === undefined ? [] : annotationFaults(annotations);
  if (size !== undefined && !(Number.isInteger(size) && Number(size) >= 0))
    faults.push({ member: 'size', expected: 'a number of bytes: an integer from 0' });
  return faults.map(({ member, expected }) => ({
    code: 'SIGIL_INVALID_OPTIONS',
    where: `${where}, ${member}`,
    what: `it must be ${expected}`,
    fix: 'give such a value, or leave it out',
  }));
}

function annotationFaults(annotations: unknown): Fault[] {
  if (!isObject(annotations)) return [{ member: 'annotations', expected: 'an object' }];
  const { audience, priority, lastModified } = annotations;
  const faults: Fault[] = [];
  if (audience !== undefined && !isAudience(audience))
    faults.push({ member: 'annotations.audience', expected: `a list of 'user' and 'assistant'` });
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    faults.push({ member: 'annotations.priority', expected: 'a number from 0 to 1' });
  if (lastModified !== undefined && !isDateTime(lastModified))
    faults.push({
      member: 'annotations.lastModified',
      expected: 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"',
    });
  return faults;
}

function isAudience(audience: unknown): boolean {
  return Array.isArray(audience) && audience.every((role) => ROLES.includes(role));
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}

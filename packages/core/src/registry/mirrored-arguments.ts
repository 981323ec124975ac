import type { Problem } from '../errors/definition-error.js';
import { isObject, type JsonSchema } from '../protocol/json.js';
import { HEADER_KEYWORD, type MirroredArgument } from '../protocol/descriptors.js';

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
  problems: Problem[],
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

function problem(where: string, what: string): Problem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where,
    what,
    fix: 'put @Header with a unique token name on a string, integer or boolean that no list, alternative or reference leads to',
  };
}

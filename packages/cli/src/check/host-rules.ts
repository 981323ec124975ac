import type { JsonObject } from '../json.js';
import type { SchemaLocation } from './schema-locations.js';

/** A model host that `sigil check --for` knows. */
export type HostName = 'openai' | 'gemini' | 'anthropic';

/**
 * The effect of something in a tool that the host does not support. `refuses`: the host refuses the whole request,
 * including the other tools. `ignores`: the model does not see the unsupported part of the schema, or can violate it.
 * `strict`: the host refuses the tool in strict mode, where the model must follow the schema.
 */
export type HostEffect = 'refuses' | 'ignores' | 'strict';

/** A limit of a host for tool names, argument names or input schemas. */
export interface HostRule {
  readonly effect: HostEffect;
  /** The URL of a page that documents the rule or shows the host's response. */
  readonly source: string;
  /** A pattern that matches all tool names that the host allows. */
  readonly toolName?: RegExp;
  /** A pattern that matches all argument names that the host allows. */
  readonly argumentName?: RegExp;
  /** Keywords that the host does not support in any part of an input schema. */
  readonly keywords?: readonly string[];
  /**
   * Functions that return whether a schema is unsupported. Each key is the text that describes such schemas in
   * findings.
   */
  readonly schemas?: Readonly<Record<string, (place: SchemaLocation) => boolean>>;
}

const OPENAI_STRUCTURED =
  'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas';
const GEMINI_KEYWORDS = 'https://ai.google.dev/api/generate-content';
const ANTHROPIC_STRUCTURED =
  'https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations';

const has =
  (...keywords: readonly string[]) =>
  ({ schema }: SchemaLocation): boolean =>
    keywords.some((keyword) => keyword in schema);

const isOfType = (schema: JsonObject, type: string): boolean => [schema['type']].flat().includes(type);

const isObjectSchema = ({ schema }: SchemaLocation): boolean => isOfType(schema, 'object');

/** Whether a schema is an object that allows unnamed members. */
const isOpen = (place: SchemaLocation): boolean =>
  isObjectSchema(place) && place.schema['additionalProperties'] !== false;

const isMap = ({ schema }: SchemaLocation): boolean =>
  isOfType(schema, 'object') &&
  (Object.keys(schema['properties'] ?? {}).length === 0
    ? schema['additionalProperties'] !== false
    : ![undefined, false].includes(schema['additionalProperties'] as undefined));

const isUntyped = (place: SchemaLocation): boolean =>
  !place.isRoot && !has('type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const')(place);

const patternLike =
  (source: RegExp) =>
  ({ schema: { pattern } }: SchemaLocation): boolean =>
    typeof pattern === 'string' && source.test(pattern);

const unknownFormat =
  (...formats: readonly string[]) =>
  ({ schema }: SchemaLocation): boolean =>
    typeof schema['format'] === 'string' && !formats.includes(schema['format']);

const STRING_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/** Keywords that depend on a condition or on other members; few models see them. */
const CONDITIONS = ['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies'];
const PATTERNED = ['patternProperties', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems'];
const CONTAINING = ['contains', 'minContains', 'maxContains'];

/**
 * The limits of each host, from its documentation, or from its responses if the documentation does not name a limit.
 * The sources were read on 22 November 2026, together with the code of the hosts' own libraries:
 * `strictToolSchema.ts` of openai/openai-agents-js, `types.ts` of googleapis/js-genai, `transform-json-schema.ts` of
 * anthropics/anthropic-sdk-typescript.
 */
export const HOST_RULES: Readonly<Record<HostName, readonly HostRule[]>> = {
  openai: [
    {
      effect: 'refuses',
      source: 'https://platform.openai.com/docs/api-reference/chat/create',
      toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    },
    {
      effect: 'refuses',
      source: 'https://github.com/langchain-ai/langchainjs/issues/9804',
      schemas: {
        '`anyOf`, `oneOf`, `allOf`, `enum`, `const` or `not` at the top level': (place) =>
          place.isRoot && has('anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not')(place),
      },
    },
    {
      effect: 'refuses',
      source: 'https://github.com/openai/openai-agents-python/pull/454',
      schemas: {
        'arguments without `properties`': (place) => place.isRoot && !has('properties')(place),
      },
    },
    {
      effect: 'refuses',
      source: 'https://github.com/digitalocean-labs/mcp-digitalocean/issues/265',
      schemas: {
        'an array without `items`': (place) =>
          isOfType(place.schema, 'array') && !has('items', 'prefixItems')(place),
      },
    },
    {
      effect: 'refuses',
      source: 'https://github.com/vercel/ai/pull/21037',
      schemas: { 'a pattern with a lookahead or lookbehind': patternLike(/\(\?<?[=!]/) },
    },
    {
      effect: 'ignores',
      source: OPENAI_STRUCTURED,
      keywords: [
        ...CONDITIONS,
        ...PATTERNED,
        ...CONTAINING,
        'oneOf',
        'allOf',
        'prefixItems',
        'uniqueItems',
        'minProperties',
        'maxProperties',
      ],
      schemas: {
        'an object with members of any name': isMap,
        'an unknown format': unknownFormat(...STRING_FORMATS),
      },
    },
    {
      effect: 'strict',
      source: OPENAI_STRUCTURED,
      schemas: {
        'a schema without a type': isUntyped,
        'optional arguments': ({ isOptional }) => isOptional,
        'an object without `additionalProperties: false`': (place) => isOpen(place) && !isMap(place),
        'objects more than 10 levels deep': ({ depth }) => depth > 10,
        'more than 1,000 values of an enum': ({ schema }) =>
          Array.isArray(schema['enum']) && schema['enum'].length > 1000,
      },
    },
  ],
  gemini: [
    {
      effect: 'refuses',
      source: 'https://ai.google.dev/api/caching#FunctionDeclaration',
      toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
      argumentName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    },
    {
      effect: 'refuses',
      source: GEMINI_KEYWORDS,
      schemas: {
        'keywords next to `$ref`': ({ schema }) =>
          '$ref' in schema && Object.keys(schema).some((keyword) => !keyword.startsWith('$')),
        'a recursive `$ref` through required members only': ({ recursion }) => recursion === 'required',
      },
    },
    {
      effect: 'ignores',
      source: GEMINI_KEYWORDS,
      keywords: [
        ...CONDITIONS,
        ...PATTERNED,
        ...CONTAINING,
        'allOf',
        'const',
        'pattern',
        'minLength',
        'maxLength',
        'exclusiveMinimum',
        'exclusiveMaximum',
        'multipleOf',
        'uniqueItems',
        'minProperties',
        'maxProperties',
      ],
      schemas: {
        'an `enum` with values other than strings and numbers': ({ schema }) =>
          Array.isArray(schema['enum']) &&
          !schema['enum'].every((value) => typeof value === 'string' || typeof value === 'number'),
      },
    },
  ],
  anthropic: [
    {
      effect: 'refuses',
      source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools',
      toolName: /^[a-zA-Z0-9_-]{1,128}$/,
    },
    {
      effect: 'refuses',
      source: 'https://github.com/anthropics/claude-code/issues/79418',
      argumentName: /^[a-zA-Z0-9_.-]{1,64}$/,
    },
    {
      effect: 'refuses',
      source: 'https://github.com/anthropics/claude-code/issues/27337',
      schemas: {
        '`anyOf`, `oneOf` or `allOf` at the top level': (place) =>
          place.isRoot && has('anyOf', 'oneOf', 'allOf')(place),
      },
    },
    {
      effect: 'refuses',
      source: 'https://github.com/anthropics/claude-code/issues/586',
      schemas: {
        'keywords of older drafts of JSON Schema': ({ schema }) =>
          Array.isArray(schema['items']) ||
          [schema['exclusiveMinimum'], schema['exclusiveMaximum']].some(
            (limit) => typeof limit === 'boolean',
          ),
      },
    },
    {
      effect: 'strict',
      source: ANTHROPIC_STRUCTURED,
      keywords: [
        ...CONDITIONS,
        ...PATTERNED,
        ...CONTAINING,
        'oneOf',
        'prefixItems',
        'minimum',
        'maximum',
        'exclusiveMinimum',
        'exclusiveMaximum',
        'multipleOf',
        'minLength',
        'maxLength',
        'maxItems',
        'uniqueItems',
        'minProperties',
        'maxProperties',
      ],
      schemas: {
        'a schema that contains itself': ({ recursion }) => recursion !== undefined,
        'a schema without a type': isUntyped,
        'an object without `additionalProperties: false`': isOpen,
        'a `minItems` of more than 1': ({ schema }) => Number(schema['minItems'] ?? 0) > 1,
        'an `enum` of objects or arrays': ({ schema }) =>
          Array.isArray(schema['enum']) &&
          schema['enum'].some((value) => typeof value === 'object' && value !== null),
        'an unknown format': unknownFormat(...STRING_FORMATS, 'uri'),
        'a pattern with lookaround, back references or word boundaries': patternLike(/\(\?<?[=!]|\\[1-9bBk]/),
      },
    },
  ],
};

import type { UnknownProperties } from '../metadata/definitions.js';
import { isDeeper, isObject, type JsonSchema, MAX_DEPTH } from '../protocol/json.js';
import { after, type MaybePromise } from '../protocol/maybe-promise.js';
import { resolveReference } from './json-schema/json-schema.js';
import type { ValuePlan } from './plans.js';
import type { SchemaSpec } from './spec.js';

/** Returns a copy of a spec. The copy also accepts objects with undeclared properties. */
export function openSpec(spec: SchemaSpec): SchemaSpec {
  return { ...spec, shown: opened(spec.shown), enforced: opened(spec.enforced) };
}

/**
 * Returns a plan that accepts undeclared properties. If `unknown` is `strip`, the plan removes them; otherwise, it
 * keeps them.
 * @param shown the schema that declares the known properties.
 */
export function lenientPlan(
  plan: ValuePlan,
  shown: JsonSchema,
  unknown: Exclude<UnknownProperties, 'reject'>,
): ValuePlan {
  const { advertised, mirrored } = plan;
  return {
    advertised,
    mirrored,
    ready: () => plan.ready(),
    check(value): MaybePromise<unknown> {
      // Too deep to walk; the plan says so.
      if (isDeeper(value, MAX_DEPTH)) return plan.check(value);
      if (unknown === 'strip') return plan.check(stripped(value, shown, shown));
      return after(plan.check(value), (made) => withUnknown(made, value));
    },
  };
}

/** Opens the root and the definitions. Nested objects are references to definitions. */
function opened(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  const { $defs } = rest;
  return {
    ...rest,
    ...(additionalProperties === false || additionalProperties === undefined ? {} : { additionalProperties }),
    ...(isObject($defs) && {
      $defs: Object.fromEntries(
        Object.entries($defs).map(([name, definition]) => [name, opened(definition as JsonSchema)]),
      ),
    }),
  };
}

function stripped(value: unknown, wanted: unknown, root: JsonSchema): unknown {
  const schema = resolveReference(wanted, root);
  if (Array.isArray(value)) return value.map((element: unknown) => stripped(element, schema['items'], root));
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties) || schema['additionalProperties'] !== undefined) return value;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(known.map(([name, given]) => [name, stripped(given, properties[name], root)]));
}

/** Adds undeclared properties to an instance, at every depth. */
function withUnknown(made: unknown, value: unknown): unknown {
  if (Array.isArray(made) && Array.isArray(value)) {
    made.forEach((element, index) => withUnknown(element, value[index]));
  } else if (isRecord(made) && isObject(value) && made !== value) {
    for (const [name, given] of Object.entries(value)) {
      if (Object.hasOwn(made, name)) withUnknown(made[name], given);
      // Never through a setter: `__proto__` is a name like any other here.
      else if (!(name in made))
        Object.defineProperty(made, name, {
          value: given,
          enumerable: true,
          writable: true,
          configurable: true,
        });
    }
  }
  return made;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  const isBuiltIn = value instanceof Date || value instanceof Map || value instanceof Set;
  return typeof value === 'object' && value !== null && !isBuiltIn && !ArrayBuffer.isView(value);
}

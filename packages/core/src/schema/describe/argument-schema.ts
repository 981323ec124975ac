import { type Diagnostics, EMIT_METADATA } from '../../errors/errors.js';
import type { Constructor } from '../../protocol/constructor.js';
import type { JsonSchema } from '../../protocol/json.js';
import { isDto } from '../dto/class-libraries.js';
import { type DeclaredType, normaliseType } from '../dto/declared-type.js';
import { summaryOf } from '../dto/dto.js';
import { reportNotInstalled } from '../dto/load-libraries.js';
import { type ArgumentField, fallbackFor, listInstantiator } from '../instantiate/instantiate.js';
import type { PropertyDeclaration } from '../json-schema/source.js';
import type { DtoDocument, SchemaPair } from './describe.js';
import { type Instantiator, typeKeywords, wireForm } from '../dto/wire-form.js';

/** The schemas and the conversion of a single argument. */
export interface ArgumentPlan {
  readonly schemas: SchemaPair;
  readonly field: ArgumentField;
  /** The DTO class of the argument, or of the elements of an array; `undefined` for other types. */
  readonly cls: Constructor | undefined;
}

const SAYS_TYPE = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'] as const;
const SAYS_VALUES = ['enum', 'const'] as const;
const SAYS_ITEMS = ['items', 'prefixItems', 'contains'] as const;

/**
 * Determines the schemas and the conversion of a single argument. If its type is unknown, reports the reason and
 * returns `undefined`.
 */
export function planArgument(
  declaration: PropertyDeclaration,
  document: DtoDocument | undefined,
  at: Diagnostics,
): ArgumentPlan | undefined {
  const { name, items, keywords = {} } = declaration;
  const type = normaliseType(declaration.type);
  for (const held of [type, normaliseType(items)]) {
    if (held.kind !== 'class' || !isDto(held.cls)) continue;
    if (!document) return void reportNotInstalled(held.cls, at);
    summaryOf(held.cls, document.models, at);
  }
  const given = [...SAYS_TYPE, ...SAYS_VALUES].some((keyword) => keyword in keywords);
  const one = describeType(type, document, name);
  if (one === undefined && !given) return void reportUnknownType(declaration, type, at);
  const described = one ?? { schemas: { shown: {}, enforced: {} }, instantiator: undefined, cls: undefined };
  if (
    type.kind === 'array' &&
    items === undefined &&
    !given &&
    !SAYS_ITEMS.some((keyword) => keyword in keywords)
  )
    return void reportUnknownElements(declaration, at);
  const whole = type.kind === 'array' ? ofItems(declaration, described, document) : described;
  const base = SAYS_TYPE.some((keyword) => keyword in keywords) ? withoutType(whole.schemas) : whole.schemas;
  return {
    schemas: { shown: { ...base.shown, ...keywords }, enforced: { ...base.enforced, ...keywords } },
    cls: whole.cls,
    field: {
      name,
      instantiator: whole.instantiator,
      fallback: keywords['default'] === undefined ? undefined : fallbackFor(keywords['default']),
    },
  };
}

interface Described {
  readonly schemas: SchemaPair;
  readonly instantiator: Instantiator | undefined;
  readonly cls: Constructor | undefined;
}

function describeType(
  type: DeclaredType,
  document: DtoDocument | undefined,
  name: string,
): Described | undefined {
  switch (type.kind) {
    case 'unknown':
      return undefined;
    case 'class': {
      if (!document || !isDto(type.cls)) return undefined;
      const reference = document.schemas.reference(type.cls, name);
      return { ...both(reference, document.instances.of(type.cls)), cls: type.cls };
    }
    case 'set':
    case 'map':
      // The types of their elements are known for properties of classes only.
      return undefined;
    default: {
      const form = wireForm(type);
      return form
        ? { schemas: form, instantiator: form.instantiator, cls: undefined }
        : both(typeKeywords(type), undefined);
    }
  }
}

function ofItems(
  { name, items }: PropertyDeclaration,
  array: Described,
  document: DtoDocument | undefined,
): Described {
  const element = describeType(normaliseType(items), document, name);
  if (!element) return array;
  const { shown, enforced } = element.schemas;
  return {
    schemas: { shown: { type: 'array', items: shown }, enforced: { type: 'array', items: enforced } },
    instantiator: element.instantiator && listInstantiator(element.instantiator),
    cls: element.cls,
  };
}

function both(schema: JsonSchema, instantiator: Instantiator | undefined): Described {
  return { schemas: { shown: schema, enforced: schema }, instantiator, cls: undefined };
}

/**
 * Removes the type that reflection found, because the author's type replaces it. A `Date` is still converted.
 */
function withoutType({ shown, enforced }: SchemaPair): SchemaPair {
  const strip = ({ type: _, $ref: __, enum: ___, ...rest }: JsonSchema): JsonSchema => rest;
  return { shown: strip(shown), enforced: strip(enforced) };
}

function reportUnknownType(
  { name, type, decorator = '@Arg', untyped = false }: PropertyDeclaration,
  normal: DeclaredType,
  at: Diagnostics,
): void {
  if (type === undefined && untyped)
    return at.add(
      'SIGIL_MISSING_METADATA',
      `the compiler emitted no decorator metadata, so the type of ${decorator}('${name}') is not known`,
      `${EMIT_METADATA}, or set the type, for example ${decorator}('${name}', { type: String })`,
    );
  const seen =
    normal.kind === 'class' ? `class ${normal.cls.name} has no class-validator decorator` : describe(type);
  at.add(
    'SIGIL_ERASED_TYPE',
    `the type of argument "${name}" is not known at run time (${seen})`,
    `set the type, for example ${decorator}('${name}', { type: String }); use { type: () => TheClass } for a class or enum, { enum: ['s', 'm'] } for a list of values, or { anyOf: [{ type: 'string' }, { type: 'number' }] } for a union`,
  );
}

function reportUnknownElements({ name, decorator = '@Arg' }: PropertyDeclaration, at: Diagnostics): void {
  at.add(
    'SIGIL_ERASED_TYPE',
    `the element type of argument "${name}" is not known at run time, because reflection only says Array`,
    `set the element type, for example ${decorator}('${name}', { items: () => String }); use { items: {} } for elements of any type`,
  );
}

function describe(type: unknown): string {
  return typeof type === 'function'
    ? `reflection says ${type.name || 'a function'}`
    : 'reflection says nothing';
}

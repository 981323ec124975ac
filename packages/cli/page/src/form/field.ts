import { inexactProblem } from '../../../src/exact-numbers.js';
import { isObject } from '../../../src/json.js';
import { type Choice, pointerStep, type SchemaDocument, type Shape, shapeOf } from './schema.js';
import { isValid } from './validate.js';

/** The content of one form field. A member of an object whose field is `undefined` is not sent. */
export type Field =
  /** A text; numbers too, as they are typed. */
  | { readonly kind: 'text' | 'number' | 'json' | 'file'; readonly text: string; readonly fileName?: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** The index of what is chosen; -1 for nothing yet. */
  | { readonly kind: 'choice'; readonly index: number }
  | { readonly kind: 'several'; readonly indexes: readonly number[] }
  | { readonly kind: 'union'; readonly option: number; readonly field: Field }
  | { readonly kind: 'array'; readonly items: readonly Field[] }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly extras: readonly Extra[] };

/** A property that the schema names. */
export interface Member {
  readonly name: string;
  readonly field: Field | undefined;
}

/** A property that the schema does not name. */
export interface Extra {
  readonly name: string;
  readonly field: Field;
}

/** Maximum nesting of fields. Deeper values, as in recursive schemas, are edited as JSON. */
const MOST_DEPTH = 8;

/** Returns a field in its initial state. Its value is the default of its schema, if the schema has one. */
export function emptyField(schema: unknown, document: SchemaDocument, depth = 0): Field {
  const resolved = document.resolve(schema);
  if (resolved && 'default' in resolved) return filledField(schema, resolved['default'], document);
  const shape = depth > MOST_DEPTH ? ({ kind: 'json' } as const) : shapeOf(schema, document);
  switch (shape.kind) {
    case 'text':
    case 'number':
    case 'file':
    case 'json':
      return { kind: shape.kind, text: '' };
    case 'boolean':
      return { kind: 'boolean', value: false };
    case 'choice':
      return { kind: 'choice', index: shape.choices.length === 1 ? 0 : -1 };
    case 'several':
      return { kind: 'several', indexes: [] };
    case 'union':
      return { kind: 'union', option: 0, field: emptyField(shape.options[0]?.schema, document, depth + 1) };
    case 'array': {
      const least = Math.min(Number(resolved?.['minItems'] ?? 0), MOST_SHOWN);
      const count = Math.max(least, shape.prefix.length);
      const items = Array.from({ length: count }, (_, index) =>
        emptyField(itemSchema(shape, index), document, depth + 1),
      );
      return { kind: 'array', items };
    }
    case 'object': {
      const members = shape.properties.map(({ name, schema: inner, isRequired }) => {
        const isShown = isRequired || 'default' in (document.resolve(inner) ?? {});
        return { name, field: isShown ? emptyField(inner, document, depth + 1) : undefined };
      });
      return { kind: 'object', members, extras: [] };
    }
  }
}

/** Returns a new field that the developer adds. A list starts with one item. */
export function addedField(schema: unknown, document: SchemaDocument): Field {
  const field = emptyField(schema, document);
  const shape = shapeOf(schema, document);
  if (field.kind !== 'array' || field.items.length > 0) return field;
  if (shape.kind !== 'array' || shape.items === false) return field;
  return { kind: 'array', items: [emptyField(shape.items, document)] };
}

/** Maximum number of initial items in a list. */
const MOST_SHOWN = 16;

/** Returns the schema of an item at an index. */
export function itemSchema({ prefix, items }: Extract<Shape, { kind: 'array' }>, index: number): unknown {
  return index < prefix.length ? prefix[index] : items;
}

/** Returns a field with a value. A value that does not fit its schema is shown as JSON. */
export function filledField(schema: unknown, value: unknown, document: SchemaDocument): Field {
  const shape = shapeOf(schema, document);
  switch (shape.kind) {
    case 'text':
    case 'file':
      return typeof value === 'string' ? { kind: shape.kind, text: value } : asJson(value);
    case 'number':
      return typeof value === 'number' ? { kind: 'number', text: String(value) } : asJson(value);
    case 'boolean':
      return typeof value === 'boolean' ? { kind: 'boolean', value } : asJson(value);
    case 'choice': {
      const index = indexOf(shape.choices, value);
      return index === -1 ? asJson(value) : { kind: 'choice', index };
    }
    case 'several': {
      if (!Array.isArray(value)) return asJson(value);
      const indexes = value.map((one) => indexOf(shape.choices, one));
      const isSet = !indexes.includes(-1) && new Set(indexes).size === indexes.length;
      return isSet ? { kind: 'several', indexes } : asJson(value);
    }
    case 'union': {
      const valid = shape.options.findIndex((one) => isValid(one.schema, value, document));
      const inner = shape.options[valid];
      return inner
        ? { kind: 'union', option: valid, field: filledField(inner.schema, value, document) }
        : asJson(value);
    }
    case 'array': {
      if (!Array.isArray(value)) return asJson(value);
      return {
        kind: 'array',
        items: value.map((one, index) => filledField(itemSchema(shape, index), one, document)),
      };
    }
    case 'object': {
      if (!isObject(value)) return asJson(value);
      const members = shape.properties.map(({ name, schema: inner }) => ({
        name,
        field: Object.hasOwn(value, name) ? filledField(inner, value[name], document) : undefined,
      }));
      const named = new Set(shape.properties.map(({ name }) => name));
      const extras = Object.entries(value).filter(([name]) => !named.has(name));
      const fieldOf = (name: string, one: unknown): Field =>
        filledField(shape.extras?.schemaOf(name) ?? true, one, document);
      return {
        kind: 'object',
        members,
        extras: extras.map(([name, one]) => ({ name, field: fieldOf(name, one) })),
      };
    }
    case 'json':
      return asJson(value);
  }
}

/** A schema, and the document that contains it. */
interface PlacedSchema {
  readonly schema: unknown;
  readonly document: SchemaDocument;
}

/**
 * Returns a field, adapted to a change of its schema. Existing fields keep their values if the values are still
 * valid. New fields are empty, or have their defaults.
 */
export function followedField(field: Field, before: PlacedSchema, now: PlacedSchema): Field {
  const fresh = emptyField(now.schema, now.document);
  const untouched = emptyField(before.schema, before.document);
  if (isSame(field, untouched)) return fresh;
  const [old, shape] = [shapeOf(before.schema, before.document), shapeOf(now.schema, now.document)];
  const inner = (one: Field, from: unknown, to: unknown): Field =>
    followedField(one, { ...before, schema: from }, { ...now, schema: to });
  if (field.kind === 'object' && old.kind === 'object') {
    if (shape.kind !== 'object' || fresh.kind !== 'object') return fresh;
    const members = fresh.members.map((member): Member => {
      const { name } = member;
      const property = shape.properties.find((one) => one.name === name);
      const extra = field.extras.find((one) => one.name === name);
      if (extra)
        return { name, field: inner(extra.field, old.extras?.schemaOf(name) ?? true, property?.schema) };
      const kept = field.members.find((one) => one.name === name);
      const was = untouched.kind === 'object' && untouched.members.find((one) => one.name === name);
      if (!kept || isSame(kept, was)) return member;
      if (!kept.field) return property?.isRequired ? member : kept;
      const from = old.properties.find((one) => one.name === name)?.schema;
      return { name, field: inner(kept.field, from, property?.schema) };
    });
    const named = new Set(members.map(({ name }) => name));
    const { extras } = shape;
    const others = field.extras.filter(({ name }) => extras && !named.has(name));
    return { kind: 'object', members, extras: others };
  }
  if (field.kind === 'array' && old.kind === 'array' && shape.kind === 'array')
    return {
      kind: 'array',
      items: field.items.map((item, index) => inner(item, itemSchema(old, index), itemSchema(shape, index))),
    };
  if (field.kind === 'union' && old.kind === 'union' && shape.kind === 'union') {
    const from = old.options[field.option];
    const option = shape.options.findIndex(({ title }) => title === from?.title);
    if (option === -1) return fresh;
    return { kind: 'union', option, field: inner(field.field, from?.schema, shape.options[option]?.schema) };
  }
  const isText = field.kind === 'text' || field.kind === 'number' || field.kind === 'json';
  if (isText && field.kind === shape.kind) return field;
  const { value, problems } = readForm(field, before.schema, before.document);
  if (value === undefined || problems.length > 0) return fresh;
  const filled = filledField(now.schema, value, now.document);
  return filled.kind === 'json' && shape.kind !== 'json' ? fresh : filled;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the JSON pointers of all visible fields. The form can show problems at these fields. */
export function pathsOf(field: Field | undefined, path = ''): readonly string[] {
  switch (field?.kind) {
    case 'object': {
      const members = [...field.members, ...field.extras].flatMap(({ name, field: inner }) =>
        pathsOf(inner, `${path}/${pointerStep(name)}`),
      );
      // The object that holds the whole form has no line of its own.
      return path === '' ? members : [path, ...members];
    }
    case 'array':
      return [path, ...field.items.flatMap((item, index) => pathsOf(item, `${path}/${index}`))];
    case 'union':
      return [path, ...pathsOf(field.field, path)];
    default:
      return [path];
  }
}

function asJson(value: unknown): Field {
  return { kind: 'json', text: JSON.stringify(value, undefined, 2) };
}

function indexOf(choices: readonly Choice[], value: unknown): number {
  const text = canonical(value);
  return choices.findIndex((choice) => canonical(choice.value) === text);
}

/** Returns JSON whose object members are sorted, so that equal values have equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}

/** The problem of a field whose text cannot be read as a value. */
export interface ReadProblem {
  /** The JSON pointer of the field. */
  readonly path: string;
  readonly message: string;
}

/** Reads a form. @returns the form's value, and the problems of fields whose text cannot be read as a value. */
export function readForm(
  field: Field,
  schema: unknown,
  document: SchemaDocument,
): { readonly value: unknown; readonly problems: readonly ReadProblem[] } {
  const problems: ReadProblem[] = [];
  const value = readField(field, schema, document, '', problems);
  return { value, problems };
}

/** Reads a field. @returns `undefined` for a field that sends nothing. */
function readField(
  field: Field,
  schema: unknown,
  document: SchemaDocument,
  path: string,
  problems: ReadProblem[],
): unknown {
  switch (field.kind) {
    case 'text':
    case 'file':
      return field.text;
    case 'boolean':
      return field.value;
    case 'number':
    case 'json':
      return readText(field, path, problems);
    case 'choice':
    case 'several': {
      const shape = shapeOf(schema, document);
      const choices = shape.kind === 'choice' || shape.kind === 'several' ? shape.choices : [];
      if (field.kind === 'several') return field.indexes.map((index) => choices[index]?.value);
      return choices[field.index]?.value;
    }
    case 'union': {
      const shape = shapeOf(schema, document);
      const option = shape.kind === 'union' ? shape.options[field.option] : undefined;
      return readField(field.field, option?.schema, document, path, problems);
    }
    case 'array': {
      const shape = shapeOf(schema, document);
      return field.items.map((item, index) => {
        const inner = shape.kind === 'array' ? itemSchema(shape, index) : undefined;
        // A list has no gaps: an item that sends nothing is null.
        return readField(item, inner, document, `${path}/${index}`, problems) ?? null;
      });
    }
    case 'object': {
      const shape = shapeOf(schema, document);
      const { properties, extras } = shape.kind === 'object' ? shape : { properties: [], extras: undefined };
      const named = field.members.map(({ name, field: inner }) => ({
        name,
        field: inner,
        schema: undefined,
        isRequired: false,
        ...properties.find((one) => one.name === name),
      }));
      const others = field.extras.map((one) => ({
        ...one,
        schema: extras?.schemaOf(one.name) ?? true,
        isRequired: false,
      }));
      const seen = new Set<string>();
      const entries: [string, unknown][] = [];
      for (const { name, field: inner, schema: innerSchema, isRequired } of [...named, ...others]) {
        if (!inner) continue;
        const at = `${path}/${pointerStep(name)}`;
        if (isRequired && isMissing(inner, innerSchema, document))
          problems.push({ path: at, message: 'is required' });
        if (seen.has(name)) problems.push({ path: at, message: `There are two properties named '${name}'` });
        seen.add(name);
        const value = readField(inner, innerSchema, document, at, problems);
        if (value !== undefined) entries.push([name, value]);
      }
      return Object.fromEntries(entries);
    }
  }
}

/**
 * Whether a required text with a format, such as a date, is empty. An empty text without a format may be
 * intended.
 */
function isMissing(field: Field, schema: unknown, document: SchemaDocument): boolean {
  const isEmpty = field.kind === 'text' && field.text === '';
  return isEmpty && 'format' in (document.resolve(schema) ?? {}) && !isValid(schema, '', document);
}

/**
 * Reads the number or JSON in a text. A text that is neither, or whose numbers would be rounded, is sent
 * unchanged.
 */
function readText(
  { kind, text }: { kind: string; text: string },
  path: string,
  problems: ReadProblem[],
): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  let problem: string | undefined;
  if (kind === 'number') {
    value = Number(text);
    if (Number.isNaN(value) || !/\d/.test(text)) problem = `'${text}' is not a number`;
  } else {
    try {
      value = JSON.parse(text);
    } catch (error) {
      problem = `This is not JSON: ${error instanceof Error ? error.message : ''}`;
    }
  }
  problem ??= inexactProblem(text);
  if (problem === undefined) return value;
  problems.push({ path, message: problem });
  return text;
}

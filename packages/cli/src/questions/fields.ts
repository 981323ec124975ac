import { isObject, type JsonObject, objectOf } from '../json.js';
import { table } from '../terminal.js';

/** One allowed value, with its label. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A field of a form (client/elicitation, "Requested Schema"). */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  readonly isRequired: boolean;
  readonly description?: string;
  readonly fallback?: unknown;
  /** The allowed values of a string, or of the entries of an array. */
  readonly choices?: readonly Choice[];
  readonly schema: JsonObject;
}

/** Returns the fields that a question asks for. */
export function fieldsOf(question: JsonObject): Field[] {
  const { properties, required } = objectOf(question['requestedSchema']);
  return Object.entries(objectOf(properties)).map(([name, value]) => {
    const schema = objectOf(value);
    const { type, title, description, default: fallback, items } = schema;
    const choices = choicesOf(type === 'array' ? objectOf(items) : schema);
    return {
      name,
      label: typeof title === 'string' ? title : name,
      type:
        type === 'number' || type === 'integer' || type === 'boolean' || type === 'array' ? type : 'string',
      isRequired: Array.isArray(required) && required.includes(name),
      ...(typeof description === 'string' && { description }),
      ...(fallback !== undefined && { fallback }),
      ...(choices && { choices }),
      schema,
    };
  });
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] | undefined {
  if (Array.isArray(values)) {
    const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, at) => ({ value: String(value), label: String(names[at] ?? value) }));
  }
  const titled: unknown = oneOf ?? anyOf;
  if (!Array.isArray(titled) || !titled.every(isObject)) return undefined;
  return titled.map(({ const: value, title }) => ({ value: String(value), label: String(title ?? value) }));
}

/** Returns the descriptions of fields, one line each. */
export function describeFields(fields: readonly Field[]): string[] {
  return table(
    fields.map(({ name, type, isRequired, fallback, choices, description }) => [
      name,
      choices
        ? `${type === 'array' ? 'some of' : 'one of'} ${choices.map(({ value }) => value).join(', ')}`
        : type,
      isRequired ? 'required' : '',
      [
        ...(description ? [description] : []),
        ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
      ].join('; '),
    ]),
  );
}

/** Returns an example answer with the required fields, or with all fields if none is required. */
export function exampleOf(fields: readonly Field[]): JsonObject {
  const required = fields.filter(({ isRequired }) => isRequired);
  const shown = required.length > 0 ? required : fields;
  return Object.fromEntries(shown.map((field) => [field.name, exampleValue(field)]));
}

function exampleValue({ type, fallback, choices }: Field): unknown {
  const [first] = choices ?? [];
  if (fallback !== undefined) return fallback;
  if (type === 'array') return first ? [first.value] : [];
  if (first) return first.value;
  return { string: '…', number: 1, integer: 1, boolean: true }[type];
}

/**
 * Returns the reason why a text is not a valid value of a field; `undefined` if the text is valid. The server validates
 * the value again.
 */
export function problemWith({ type, isRequired, schema }: Field, text: string): string | undefined {
  if (text === '') return isRequired ? 'It is required' : undefined;
  const { minimum, maximum, minLength, maxLength } = schema;
  const isNumber = type === 'number' || type === 'integer';
  const size = isNumber ? Number(text) : text.length;
  if (isNumber && (Number.isNaN(size) || text.trim() === '')) return 'It must be a number';
  if (type === 'integer' && !Number.isInteger(size)) return 'It must be a whole number';
  const [least, most] = isNumber ? [minimum, maximum] : [minLength, maxLength];
  const what = isNumber ? '' : ' characters';
  if (typeof least === 'number' && size < least) return `It must be ${least}${what} at least`;
  if (typeof most === 'number' && size > most) return `It must be ${most}${what} at most`;
  return undefined;
}

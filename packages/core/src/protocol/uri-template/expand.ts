import { normaliseUri } from './compiled-template.js';
import { OPERATORS, type TemplateExpression, type TemplateVariable, type UriTemplate } from './parse.js';

/** The value of a variable: a single value, or the members of a list. */
export type ExpandedValue = string | number | boolean | readonly (string | number | boolean)[];

/**
 * Returns the URI that results from a template and the values of its variables (RFC 6570 §3.2). Variables without a
 * value are left out.
 *
 * @throws URIError if a text contains half of a surrogate pair.
 */
export function expandUriTemplate(
  { parts }: UriTemplate,
  values: Readonly<Record<string, ExpandedValue | undefined>>,
): string {
  return parts
    .map((part) => (part.kind === 'literal' ? normaliseUri(part.text) : expandExpression(part, values)))
    .join('');
}

function expandExpression(
  { operator, variables }: TemplateExpression,
  values: Readonly<Record<string, ExpandedValue | undefined>>,
): string {
  const { first, separator, named } = OPERATORS[operator];
  const expanded = variables.flatMap((variable) => {
    const { name, explode } = variable;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const members = (value === undefined ? [] : [value].flat()).map((one) => encode(one, variable, operator));
    if (members.length === 0) return [];
    const items = explode ? members : [members.join(',')];
    if (!named) return [items.join(separator)];
    return [
      items.map((item) => (item === '' && operator === ';' ? name : `${name}=${item}`)).join(separator),
    ];
  });
  return expanded.length === 0 ? '' : first + expanded.join(separator);
}

/** RFC 3986 reserves these, and `encodeURIComponent` leaves them. */
const ALSO_RESERVED = /[!'()*]/g;

function encode(
  value: string | number | boolean,
  { prefix }: TemplateVariable,
  operator: TemplateExpression['operator'],
): string {
  const text = prefix === undefined ? String(value) : [...String(value)].slice(0, prefix).join('');
  if (operator === '+' || operator === '#') return normaliseUri(text);
  return encodeURIComponent(text).replace(
    ALSO_RESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

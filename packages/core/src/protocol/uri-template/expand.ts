import { encodeReserved, encodeUnreserved } from './encode.js';
import { OPERATORS, type OperatorRules } from './operators.js';
import type { TemplateExpression, TemplateVariable, UriTemplate } from './template.js';
import { UriTemplateError } from './uri-template-error.js';

/** What a variable may stand for; `undefined` and the empty list expand to nothing. */
export type UriTemplateValue = string | readonly string[] | undefined;

const CHARACTER = /[^]/gu;
const CHARACTER_OR_TRIPLETS = /%[0-9A-Fa-f]{2}(?:%[89ABab][0-9A-Fa-f])*|[^]/gu;

/**
 * Expands a template to a URI (RFC 6570 §3).
 *
 * @param values by variable name; only own properties are read.
 * @throws UriTemplateError when a variable with a `:n` modifier is given a list (§2.4.1).
 * @throws URIError when a value holds half of a surrogate pair.
 */
export function expandUriTemplate(
  template: UriTemplate,
  values: Readonly<Record<string, UriTemplateValue>>,
): string {
  let uri = '';
  for (const part of template.parts) {
    uri +=
      part.kind === 'literal' ? encodeReserved(part.text) : expandExpression(part, values, template.source);
  }
  return uri;
}

function expandExpression(
  { operator, variables }: TemplateExpression,
  values: Readonly<Record<string, UriTemplateValue>>,
  source: string,
): string {
  const rules = OPERATORS[operator];
  const expanded: string[] = [];
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    if (value === undefined || (typeof value !== 'string' && value.length === 0)) continue;
    if (typeof value !== 'string' && variable.prefix !== undefined) {
      throw new UriTemplateError(
        `A list for "${variable.name}", which takes a prefix,`,
        source,
        variable.offset,
      );
    }
    expanded.push(
      typeof value === 'string' ? expandText(variable, value, rules) : expandList(variable, value, rules),
    );
  }
  return expanded.length === 0 ? '' : rules.first + expanded.join(rules.separator);
}

function expandText(variable: TemplateVariable, value: string, rules: OperatorRules): string {
  return withName(variable.name, encode(cut(value, variable.prefix, rules), rules), rules);
}

function expandList(variable: TemplateVariable, values: readonly string[], rules: OperatorRules): string {
  const encoded = values.map((value) => encode(value, rules));
  if (!variable.explode) return withName(variable.name, encoded.join(','), rules);
  return encoded.map((value) => withName(variable.name, value, rules)).join(rules.separator);
}

function withName(name: string, encoded: string, rules: OperatorRules): string {
  if (!rules.named) return encoded;
  return encoded === '' ? name + rules.ifEmpty : `${name}=${encoded}`;
}

function encode(value: string, rules: OperatorRules): string {
  return rules.reserved ? encodeReserved(value) : encodeUnreserved(value);
}

function cut(value: string, length: number | undefined, rules: OperatorRules): string {
  if (length === undefined || value.length <= length) return value;
  // A kept triplet counts as the one character it stands for, so that no prefix splits it (§2.4.1).
  const characters = value.match(rules.reserved ? CHARACTER_OR_TRIPLETS : CHARACTER) ?? [];
  return characters.slice(0, length).join('');
}

import { isOperator, type Operator } from './operators.js';
import type { TemplateExpression, TemplatePart, TemplateVariable, UriTemplate } from './template.js';
import { UriTemplateError } from './uri-template-error.js';

/** The longest template that is parsed, in UTF-16 code units. */
export const MAX_TEMPLATE_LENGTH = 4096;

/** The most variables a template may have. */
export const MAX_TEMPLATE_VARIABLES = 64;

const VARIABLE =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:[1-9][0-9]{0,3})?$/;
const OPERATOR_CHARACTER = /^[+#./;?&=,!@|]/;
const BAD_LITERAL = /[\p{Cc} "<>\\^`{|}]|%(?![0-9A-Fa-f]{2})|\p{Surrogate}/u;

/**
 * Parses a URI template of any level (RFC 6570 §2). Beyond the RFC, no variable may occur twice, because
 * a match could not say which occurrence a value comes from.
 *
 * @throws UriTemplateError saying what is wrong and at which offset.
 */
export function parseUriTemplate(source: string): UriTemplate {
  if (source.length > MAX_TEMPLATE_LENGTH) {
    throw new UriTemplateError(`More than ${MAX_TEMPLATE_LENGTH} characters`, source, MAX_TEMPLATE_LENGTH);
  }
  const parts: TemplatePart[] = [];
  const names = new Set<string>();
  for (let offset = 0; offset < source.length;) {
    if (source[offset] === '{') {
      const expression = parseExpression(source, offset + 1);
      for (const variable of expression.variables) claimName(source, variable, names);
      parts.push(expression);
      offset = source.indexOf('}', offset) + 1;
    } else {
      const text = parseLiteral(source, offset);
      parts.push({ kind: 'literal', text });
      offset += text.length;
    }
  }
  return { source, variables: [...names], parts };
}

function parseLiteral(source: string, offset: number): string {
  const brace = source.indexOf('{', offset);
  const text = source.slice(offset, brace < 0 ? source.length : brace);
  const bad = BAD_LITERAL.exec(text);
  if (bad) {
    const what =
      bad[0] === '}'
        ? 'A "}" that closes nothing'
        : bad[0] === '%'
          ? 'A "%" that two hexadecimal digits do not follow'
          : `The character ${JSON.stringify(bad[0])}, which must be percent-encoded,`;
    throw new UriTemplateError(what, source, offset + bad.index);
  }
  return text;
}

function parseExpression(source: string, start: number): TemplateExpression {
  const end = source.indexOf('}', start);
  if (end < 0) throw new UriTemplateError('A "{" that is never closed', source, start - 1);
  const body = source.slice(start, end);
  const character = OPERATOR_CHARACTER.exec(body)?.[0] ?? '';
  if (!isOperator(character)) {
    throw new UriTemplateError(`The operator "${character}", which RFC 6570 reserves,`, source, start);
  }
  return {
    kind: 'expression',
    operator: character,
    variables: parseVariables(source, body, character, start),
  };
}

function parseVariables(source: string, body: string, operator: Operator, start: number): TemplateVariable[] {
  let offset = start + operator.length;
  return body
    .slice(operator.length)
    .split(',')
    .map((spec) => {
      const variable = parseVariable(source, spec, offset);
      offset += spec.length + 1;
      return variable;
    });
}

function parseVariable(source: string, spec: string, offset: number): TemplateVariable {
  const match = VARIABLE.exec(spec);
  const name = match?.[1];
  if (!match || name === undefined) {
    const what = spec === '' ? 'A missing variable name' : `The malformed variable "${spec}"`;
    throw new UriTemplateError(what, source, offset);
  }
  const modifier = match[2];
  const variable = { name, explode: modifier === '*', offset };
  return modifier?.startsWith(':') ? { ...variable, prefix: Number(modifier.slice(1)) } : variable;
}

function claimName(source: string, variable: TemplateVariable, names: Set<string>): void {
  if (names.has(variable.name)) {
    throw new UriTemplateError(
      `The variable "${variable.name}" for the second time`,
      source,
      variable.offset,
    );
  }
  if (names.size === MAX_TEMPLATE_VARIABLES) {
    throw new UriTemplateError(`More than ${MAX_TEMPLATE_VARIABLES} variables`, source, variable.offset);
  }
  names.add(variable.name);
}

/** One variable of an expression, with its modifier (RFC 6570 §2.3 and §2.4). */
export interface TemplateVariable {
  readonly name: string;
  /** Whether the variable has the modifier `*`: each member of a list is then expanded separately. */
  readonly explode: boolean;
  /**
   * The number `n` of the modifier `:n`, from 1 to 9999. Only the first `n` characters (code points) of the value are
   * expanded.
   */
  readonly prefix?: number;
  /** The offset of the name, in UTF-16 code units from the start of the template. */
  readonly offset: number;
}

/** Text that stands for itself (RFC 6570 §2.1). */
interface TemplateLiteral {
  readonly kind: 'literal';
  readonly text: string;
}

/** An expression between braces (RFC 6570 §2.2). */
export interface TemplateExpression {
  readonly kind: 'expression';
  readonly operator: Operator;
  /** The variables in the order of the template; at least one. */
  readonly variables: readonly TemplateVariable[];
}

/** A piece of a template. */
type TemplatePart = TemplateLiteral | TemplateExpression;

/** A parsed URI template (RFC 6570). */
export interface UriTemplate {
  readonly source: string;
  /** The names of all variables, in the order of the template, each once. */
  readonly variables: readonly string[];
  readonly parts: readonly TemplatePart[];
}

/** The character after `{` that chooses how an expression expands; empty for simple expansion (RFC 6570 §2.2). */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** The expansion rules of an operator (RFC 6570, appendix A). */
interface OperatorRules {
  /** The text before the first defined variable. */
  readonly first: string;
  /** The text between variables, and between the members of an exploded list. */
  readonly separator: string;
  /** Whether each value is preceded by its variable's name. */
  readonly named: boolean;
  /** The characters that no value holds. */
  readonly stops: string;
}

const SEGMENT_STOPS = '/?#';

/** The operators of RFC 6570. */
export const OPERATORS: Readonly<Record<Operator, OperatorRules>> = {
  '': { first: '', separator: ',', named: false, stops: SEGMENT_STOPS },
  '+': { first: '', separator: ',', named: false, stops: '' },
  '#': { first: '#', separator: ',', named: false, stops: '' },
  '.': { first: '.', separator: '.', named: false, stops: SEGMENT_STOPS },
  '/': { first: '/', separator: '/', named: false, stops: SEGMENT_STOPS },
  ';': { first: ';', separator: ';', named: true, stops: SEGMENT_STOPS },
  '?': { first: '?', separator: '&', named: true, stops: '#' },
  '&': { first: '&', separator: '&', named: true, stops: '#' },
};

/** Thrown if a URI template violates RFC 6570 or one of Sigil's limits. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';

  /**
   * @param what a description of the fault, without its position.
   * @param source the template.
   * @param offset the position of the fault, in UTF-16 code units from the start of the template.
   */
  constructor(
    what: string,
    readonly source: string,
    readonly offset: number,
  ) {
    super(`${what} at offset ${offset} of URI template "${shorten(source)}"`);
  }
}

/** The maximum length of a template, in UTF-16 code units. */
export const MAX_TEMPLATE_LENGTH = 4096;

/** The maximum number of variables in a template. */
export const MAX_TEMPLATE_VARIABLES = 64;

const VARIABLE =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:[1-9][0-9]{0,3})?$/;
const OPERATOR_CHARACTER = /^[+#./;?&=,!@|]/;
const BAD_LITERAL = /[\p{Cc} "<>\\^`{|}]|%(?![0-9A-Fa-f]{2})|\p{Surrogate}/u;

/**
 * Parses a URI template of any level (RFC 6570 §2). Unlike the RFC, Sigil refuses a template with two occurrences of
 * the same variable, because a matching URI could have two values for the variable.
 *
 * @throws UriTemplateError if the template is invalid. The error contains the fault and its offset.
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
          ? 'A "%" without its two hexadecimal digits'
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

/** Whether the text is an operator that RFC 6570 defines. */
function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

function shorten(source: string): string {
  return source.length > 200 ? `${source.slice(0, 200)}…` : source;
}

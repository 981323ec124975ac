import {
  type Operator,
  OPERATORS,
  type TemplateExpression,
  type TemplateVariable,
  type UriTemplate,
} from './parse.js';

/** Reads a text that must stand there as it is. */
interface TextStep {
  readonly kind: 'text';
  readonly text: string;
}

/**
 * Reads at least `minimum` characters, but none of the characters in `stops`. `capture` describes the meaning of the
 * text that was read.
 */
export interface RunStep {
  readonly kind: 'run';
  /** For each ASCII code: 1 if this step must stop before the character, otherwise 0. */
  readonly stops: Uint8Array;
  readonly minimum: 0 | 1;
  readonly capture: Capture;
}

/** Continues with the next step, or skips to the step `to`. */
interface ForkStep {
  readonly kind: 'fork';
  readonly to: number;
}

/** One step of a match. No step leads back to an earlier step. */
export type Step = TextStep | RunStep | ForkStep;

/** The meaning of the text that a `RunStep` has read: one value, the members of a list, or `name=value` pairs. */
export type Capture =
  | { readonly kind: 'value'; readonly variable: TemplateVariable }
  | { readonly kind: 'list'; readonly variable: TemplateVariable; readonly separator: string }
  | {
      readonly kind: 'pairs';
      readonly variables: ReadonlyMap<string, TemplateVariable>;
      readonly separator: string;
    };

/** Operators whose first character ends any run before them: a query begins at its first `?`. */
const FENCES: readonly Operator[] = ['?', '&', '#', ';'];

/** Translates a template to the steps that match URIs with the template. */
export function compileSteps(template: UriTemplate): Step[] {
  const steps: Step[] = [];
  const parts = joinQueries(template);
  parts.forEach((part, index) => {
    if (part.kind === 'literal') {
      steps.push({ kind: 'text', text: normaliseUri(part.text) });
      return;
    }
    const later = parts
      .slice(index + 1)
      .flatMap((next) => (next.kind === 'expression' ? [next.operator] : []));
    const fences = FENCES.filter((operator) => later.includes(operator)).join('');
    if (OPERATORS[part.operator].named) pushPairs(steps, part, fences);
    else pushValues(steps, part, fences);
  });
  return steps;
}

/** Characters that a URI must not contain; reserved characters and triplets are kept (RFC 6570 §3.2.1, set U+R). */
const NOT_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/gu;

/**
 * Converts a URI or a literal to the form that steps compare: ASCII only, with percent-encoded characters such as `%2F`
 * in upper case (RFC 3986 §6.2.2.1 and RFC 3987 §3.1).
 *
 * @throws URIError if the text contains half of a surrogate pair.
 */
export function normaliseUri(uri: string): string {
  return uri
    .replace(NOT_URI, (text) => encodeURIComponent(text))
    .replace(/%[0-9A-Fa-f]{2}/g, (triplet) => triplet.toUpperCase());
}

/** `{?a}{&b}` is one query, whose parameters may come in any order. */
function joinQueries({ parts }: UriTemplate): UriTemplate['parts'] {
  const joined: UriTemplate['parts'][number][] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const continues =
      part.kind === 'expression' &&
      part.operator === '&' &&
      last?.kind === 'expression' &&
      (last.operator === '?' || last.operator === '&');
    if (continues) joined.splice(-1, 1, { ...last, variables: [...last.variables, ...part.variables] });
    else joined.push(part);
  }
  return joined;
}

function pushPairs(steps: Step[], { operator, variables }: TemplateExpression, fences: string): void {
  const { first, separator, stops: ownStops } = OPERATORS[operator];
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  // The fence of the group's own separator would end it after its first pair.
  const stops = stopTable((ownStops + fences).replaceAll(separator, ''));
  steps.push(
    { kind: 'fork', to: steps.length + 3 },
    { kind: 'text', text: first },
    { kind: 'run', stops, minimum: 0, capture: { kind: 'pairs', variables: byName, separator } },
  );
}

function pushValues(steps: Step[], { operator, variables }: TemplateExpression, fences: string): void {
  const { first, separator, stops: ownStops } = OPERATORS[operator];
  const end = steps.length + variables.length * 3 - (first === '' ? 2 : 0);
  variables.forEach((variable, index) => {
    const opener = index === 0 ? first : separator;
    if (opener !== '') steps.push({ kind: 'fork', to: end }, { kind: 'text', text: opener });
    const stops = ownStops + (variables.length > 1 ? separator : '') + fences;
    steps.push({
      kind: 'run',
      stops: stopTable(variable.explode ? stops.replaceAll(separator, '') : stops),
      minimum: opener === '' ? 1 : 0,
      capture: variable.explode ? { kind: 'list', variable, separator } : { kind: 'value', variable },
    });
  });
}

function stopTable(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

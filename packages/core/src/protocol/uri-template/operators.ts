/** The character after `{` that chooses how an expression expands; empty for simple expansion (RFC 6570 §2.2). */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** How an operator expands (RFC 6570, appendix A). */
export interface OperatorRules {
  /** Written before the first defined variable. */
  readonly first: string;
  /** Written between variables, and between the members of an exploded list. */
  readonly separator: string;
  /** Whether each value is preceded by its variable's name. */
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters and percent-encoded triplets of a value are kept as they are. */
  readonly reserved: boolean;
}

/** The table of RFC 6570, appendix A. */
export const OPERATORS: Readonly<Record<Operator, OperatorRules>> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', reserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', reserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', reserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', reserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', reserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false },
};

/** Whether the text is an operator that RFC 6570 defines. */
export function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

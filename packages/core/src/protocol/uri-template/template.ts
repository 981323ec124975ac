import type { Operator } from './operators.js';

/** One variable of an expression, with its modifier (RFC 6570 §2.3 and §2.4). */
export interface TemplateVariable {
  readonly name: string;
  /** `*`: each member of a list is expanded on its own. */
  readonly explode: boolean;
  /** `:n`: only so many characters (code points) of the value are expanded; 1 to 9999. */
  readonly prefix?: number;
  /** Where the name starts, in UTF-16 code units from the start of the template. */
  readonly offset: number;
}

/** Text that stands for itself (RFC 6570 §2.1). */
export interface TemplateLiteral {
  readonly kind: 'literal';
  readonly text: string;
}

/** What stands between braces (RFC 6570 §2.2). */
export interface TemplateExpression {
  readonly kind: 'expression';
  readonly operator: Operator;
  /** In the order of the template; at least one. */
  readonly variables: readonly TemplateVariable[];
}

/** A piece of a template. */
export type TemplatePart = TemplateLiteral | TemplateExpression;

/** A parsed URI template (RFC 6570). */
export interface UriTemplate {
  readonly source: string;
  /** The names of all variables, in the order of the template, each once. */
  readonly variables: readonly string[];
  readonly parts: readonly TemplatePart[];
}

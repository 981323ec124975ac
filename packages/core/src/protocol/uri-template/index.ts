export { expandUriTemplate, type UriTemplateValue } from './expand.js';
export { compileMatcher, MAX_URI_LENGTH, type UriMatcher } from './match.js';
export { isOperator, type Operator } from './operators.js';
export { MAX_TEMPLATE_LENGTH, MAX_TEMPLATE_VARIABLES, parseUriTemplate } from './parse.js';
export type {
  TemplateExpression,
  TemplateLiteral,
  TemplatePart,
  TemplateVariable,
  UriTemplate,
} from './template.js';
export { UriTemplateError } from './uri-template-error.js';
export type { UriValues } from './values.js';

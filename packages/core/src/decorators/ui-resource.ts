import type { ResourceContext } from '../context/contexts.js';
import type { Presentation, ResourceDefinition, SchemaLike, UiOptions } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';
import { UI_MIME_TYPE } from '../protocol/ui.js';
import type { ArgumentsOf, FunctionDefinition, Policies } from './define.js';

/** What `@UiResource` may be told. */
export type UiResourceOptions = Presentation & UiOptions & Pick<ResourceDefinition, 'annotations' | 'size'>;

/**
 * Makes a method a UI resource: HTML that hosts show in a sandbox with the results of the tools whose `ui` names it
 * (extension `io.modelcontextprotocol/ui`).
 *
 * **Parameters and return value**: those of `@Resource`; a string is the HTML. The contents carry `_meta.ui`, made of the
 * options, unless the method returns contents that have their own.
 *
 * @param uri what tools name, such as `ui://weather/view.html`.
 * SEP-1865, MCP Apps 2026-01-26.
 */
export function UiResource(uri: string, options: UiResourceOptions = {}): MethodDecorator {
  return (prototype, method) => addHandler(prototype, method, uiResourceDefinition(uri, options));
}

/** What `defineUiResource` is told: a `ui://` URI, what `@UiResource` is told, and the handler. */
export interface UiResourceFunctionOptions<S extends SchemaLike> extends UiResourceOptions, Policies {
  readonly uri: string;
  readonly name: string;
  /** Schema of the variables; without one the handler gets them as strings. */
  readonly input?: S;
  readonly handle: (variables: ArgumentsOf<S>, context: ResourceContext) => unknown;
}

/** The function twin of `@UiResource`. */
export function defineUiResource<S extends SchemaLike = Record<string, never>>({
  uri,
  input,
  handle,
  guards = [],
  middleware = [],
  errors = [],
  ...options
}: UiResourceFunctionOptions<S>): FunctionDefinition<ResourceDefinition> {
  return { definition: uiResourceDefinition(uri, options), input, handle, guards, middleware, errors };
}

function uiResourceDefinition(
  uri: string,
  { csp, permissions, domain, prefersBorder, ...options }: UiResourceOptions,
): ResourceDefinition {
  const ui: UiOptions = {
    ...(csp === undefined ? {} : { csp }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(domain === undefined ? {} : { domain }),
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
  return { ...options, kind: 'resource', uri, mimeType: UI_MIME_TYPE, ui };
}

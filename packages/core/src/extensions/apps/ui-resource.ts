import { compose } from '../../decorators/compose.js';
import {
  defineResource,
  type FunctionDefinition,
  type ResourceFunctionOptions,
} from '../../decorators/define.js';
import { Resource, type ResourceOptions } from '../../decorators/resource.js';
import type { ResourceDefinition, SchemaLike } from '../../metadata/definitions.js';
import { UI_MIME_TYPE, type UiOptions, UiPage } from './ui.js';

/** What `@UiResource` may be told. */
export type UiResourceOptions = UiOptions & Omit<ResourceOptions, 'groups' | 'mimeType' | 'cache'>;

/**
 * Makes a method a UI resource: HTML that hosts show in a sandbox with the results of the tools whose `@Ui` names it
 * (extension `io.modelcontextprotocol/ui`).
 *
 * **Parameters and return value**: those of `@Resource`; a string is the HTML. The contents carry `_meta.ui`, made of the
 * options, unless the method returns contents that have their own.
 *
 * @param uri what tools name, such as `ui://weather/view.html`.
 * @see SEP-1865, MCP Apps 2026-01-26
 */
export function UiResource(uri: string, options: UiResourceOptions = {}): MethodDecorator {
  const { ui, rest } = split(options);
  return compose(Resource(uri, { ...rest, mimeType: UI_MIME_TYPE }), UiPage(ui));
}

/** What `defineUiResource` is told: a `ui://` URI, what `@UiResource` is told, and the handler. */
export type UiResourceFunctionOptions<S extends SchemaLike> = UiResourceOptions &
  Omit<ResourceFunctionOptions<S>, 'groups' | 'mimeType' | 'cache'>;

/** The function twin of `@UiResource`. */
export function defineUiResource<S extends SchemaLike = Record<string, never>>(
  options: UiResourceFunctionOptions<S>,
): FunctionDefinition<ResourceDefinition> {
  const { ui, rest } = split(options);
  const metadata = { ...options.metadata, ...UiPage.entry(ui) };
  return defineResource({ ...rest, metadata, mimeType: UI_MIME_TYPE });
}

function split<O extends UiResourceOptions>(
  options: O,
): { readonly ui: UiOptions; readonly rest: Omit<O, keyof UiOptions> } {
  const { csp, permissions, domain, prefersBorder, ...rest } = options;
  const ui: UiOptions = {
    ...(csp === undefined ? {} : { csp }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(domain === undefined ? {} : { domain }),
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
  return { ui, rest };
}

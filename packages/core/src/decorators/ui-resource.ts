import type { Presentation, ResourceDefinition, UiOptions } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';
import { UI_MIME_TYPE } from '../protocol/ui.js';

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

/** What both the decorator and its function twin record. */
export function uiResourceDefinition(
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

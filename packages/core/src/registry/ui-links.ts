import type { Problem } from '../errors/definition-error.js';
import { isUiUri, UI_MIME_TYPE } from '../protocol/ui.js';
import type { Entry } from './entry.js';
import type { Registry } from './registry.js';
import { toolUiOptions } from './ui-meta.js';

/** What is wrong with the UI resource that a tool names: it has to be served by then, and as a UI. */
export function uiLinkProblems(entry: Entry, registry: Registry): Problem[] {
  if (entry.kind !== 'tool') return [];
  const { resourceUri: uri } = toolUiOptions(entry.definition);
  // What is no URI of a UI at all has been reported as that.
  if (!isUiUri(uri)) return [];
  const served = registry.resolveUri(uri)?.entry.descriptor;
  const mimeType = served?.mimeType ?? UI_MIME_TYPE;
  if (served && mimeType === UI_MIME_TYPE) return [];
  return [
    {
      code: 'SIGIL_UNKNOWN_UI_RESOURCE',
      where: `${entry.where}, ui`,
      what: served ? `'${uri}' is served as ${mimeType}` : `no definition serves '${uri}'`,
      fix: `serve it with @UiResource('${uri}'); in a running app, add the resource before the tool`,
    },
  ];
}

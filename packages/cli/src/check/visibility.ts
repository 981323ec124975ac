// The page of `sigil dev` uses this file too, so it imports nothing from Node or from the framework.
import { objectOf } from '../json.js';

/** The note about a tool that models do not see. */
export const FOR_VIEWS = 'for views only: models do not see it';

/** Whether models see a tool. Some tools are only for views (MCP Apps, `_meta.ui.visibility`). */
export function isForModels(tool: WithMeta): boolean {
  return isFor('model', tool);
}

/** Whether a view is allowed to call a tool (MCP Apps, `_meta.ui.visibility`). */
export function isForViews(tool: WithMeta): boolean {
  return isFor('app', tool);
}

interface WithMeta {
  readonly _meta?: unknown;
}

function isFor(who: 'model' | 'app', { _meta }: WithMeta): boolean {
  const visibility = objectOf(objectOf(_meta)['ui'])['visibility'];
  return !Array.isArray(visibility) || visibility.includes(who);
}

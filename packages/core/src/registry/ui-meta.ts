import type { Presentation, ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import { OLDER_UI_KEY, UI_KEY } from '../protocol/ui.js';

type Meta = NonNullable<Presentation['meta']>;

/** The `_meta` of a tool: its author's, and how hosts show it. */
export function toolMeta({ meta, ui }: ToolDefinition): Meta | undefined {
  if (ui === undefined) return meta;
  const options = typeof ui === 'string' ? { resourceUri: ui } : ui;
  const { resourceUri } = options;
  return {
    ...meta,
    [UI_KEY]: options,
    ...(resourceUri === undefined ? {} : { [OLDER_UI_KEY]: resourceUri }),
  };
}

/** The `_meta` of a resource: its author's, and how hosts show it. */
export function resourceMeta({ meta, ui }: ResourceDefinition): Meta | undefined {
  return ui === undefined || Object.keys(ui).length === 0 ? meta : { ...meta, [UI_KEY]: ui };
}

import type {
  Presentation,
  ResourceDefinition,
  ToolDefinition,
  ToolUiOptions,
} from '../metadata/definitions.js';
import { isObject } from '../protocol/json.js';
import { OLDER_UI_KEY, UI_KEY } from '../protocol/ui.js';

type Meta = NonNullable<Presentation['meta']>;

/** How a tool is shown, in its long form; empty when its author wrote something else. */
export function toolUiOptions({ ui }: ToolDefinition): ToolUiOptions {
  if (typeof ui === 'string') return { resourceUri: ui };
  return isObject(ui) ? ui : {};
}

/** The `_meta` of a tool: its author's, and how hosts show it. */
export function toolMeta(definition: ToolDefinition): Meta | undefined {
  const { meta, ui } = definition;
  if (ui === undefined) return meta;
  const options = toolUiOptions(definition);
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

/** What MCP Apps are negotiated by (SEP-1865). */
export const UI = 'io.modelcontextprotocol/ui';

/** Whether a value is the URI of a UI resource. */
export function isUiUri(value: unknown): value is string {
  return typeof value === 'string' && /^ui:\/\/./.test(value);
}

/** The MIME type of UI resources: HTML that hosts show in a sandbox. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The member of `_meta` that says how hosts show a tool or a UI resource. */
export const UI_KEY = 'ui';

/** The member of a tool's `_meta` where hosts looked for its UI before `ui.resourceUri`. */
export const OLDER_UI_KEY = 'ui/resourceUri';

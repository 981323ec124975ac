import { createMetadata, type MetadataDecorator } from '../../decorators/metadata.js';

/** What MCP Apps are negotiated by (SEP-1865). */
export const UI = 'io.modelcontextprotocol/ui';

/** The MIME type of UI resources: HTML that hosts show in a sandbox. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The member of `_meta` that says how hosts show a tool or a UI resource. */
export const UI_KEY = 'ui';

/** The member of a tool's `_meta` where hosts looked for its UI before `ui.resourceUri`. */
export const OLDER_UI_KEY = 'ui/resourceUri';

/** How a tool is shown and who may call it (extension `io.modelcontextprotocol/ui`). */
export interface ToolUiOptions {
  /** The UI resource that hosts show with the results of the tool. */
  readonly resourceUri?: string;
  /**
   * Who may call it: the model, the UI, or both.
   * @default ['model', 'app']
   */
  readonly visibility?: readonly ('model' | 'app')[];
}

/** The origins a UI may reach, such as `https://api.example.com` or `https://*.example.com`. None by default. */
export interface UiCsp {
  /** For requests: fetch, XMLHttpRequest, WebSocket. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For nested frames. */
  readonly frameDomains?: readonly string[];
  /** For the base URI of the document. */
  readonly baseUriDomains?: readonly string[];
}

/** What a UI asks of the browser; each is given as an empty object, and hosts may refuse. */
export interface UiPermissions {
  readonly camera?: object;
  readonly microphone?: object;
  readonly geolocation?: object;
  readonly clipboardWrite?: object;
}

/** How hosts show a UI resource (extension `io.modelcontextprotocol/ui`). */
export interface UiOptions {
  readonly csp?: UiCsp;
  readonly permissions?: UiPermissions;
  /** The origin of the sandbox, in the form the host asks for. */
  readonly domain?: string;
  /**
   * Whether the host draws a border around it.
   * @default the host decides
   */
  readonly prefersBorder?: boolean;
}

/**
 * Names the UI that hosts show with the results of a tool (extension `io.modelcontextprotocol/ui`): the `ui://` URI of a
 * `@UiResource`, or that and who may call the tool. Other clients see a tool like any other.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Roll a die' })
 * @Ui('ui://dice/view.html')
 * roll() { … }
 * ```
 * @see SEP-1865, MCP Apps 2026-01-26
 */
export const Ui: MetadataDecorator<string | ToolUiOptions> = createMetadata(Symbol.for('sigil:ui'));

/** What `@UiResource` says of itself. */
export const UiPage: MetadataDecorator<UiOptions> = createMetadata(Symbol.for('sigil:ui-page'));

/** Whether a value is the URI of a UI resource. */
export function isUiUri(value: unknown): value is string {
  return typeof value === 'string' && /^ui:\/\/./.test(value);
}

import { applyDecorators, createMetadataDecorator, type MetadataDecorator } from '../../decorators/custom.js';
import {
  defineResource,
  type FunctionDefinition,
  type ResourceFunctionOptions,
} from '../../decorators/define.js';
import { type HandlerDecorator, Resource, type ResourceOptions } from '../../decorators/decorators.js';
import type { ResourceDefinition, SchemaLike } from '../../metadata/definitions.js';

/** The name of the extension MCP Apps in capabilities (SEP-1865). */
export const UI = 'io.modelcontextprotocol/ui';

/** The MIME type of UI resources: HTML that hosts show in a sandbox. */
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** The member of `_meta` that says how hosts show a tool or a UI resource. */
export const UI_KEY = 'ui';

/** The member of a tool's `_meta` that contained the URI of its UI before `ui.resourceUri` existed. */
export const OLDER_UI_KEY = 'ui/resourceUri';

/** The UI and the permitted callers of a tool (extension `io.modelcontextprotocol/ui`). */
export interface ToolUiOptions {
  /** The UI resource that hosts show with the results of the tool. */
  readonly resourceUri?: string;
  /**
   * The permitted callers of the tool: the model, the UI, or both.
   * @default ['model', 'app']
   */
  readonly visibility?: readonly ('model' | 'app')[];
}

/** The origins that a UI may access, such as `https://api.example.com` or `https://*.example.com`. None by default. */
export interface UiCsp {
  /** The origins that the UI may send requests to, with fetch, XMLHttpRequest or WebSocket. */
  readonly connectDomains?: readonly string[];
  /** The origins that may provide the UI's scripts, styles, pictures, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** The origins that the UI may show in nested frames. */
  readonly frameDomains?: readonly string[];
  /** The origins that the base URI of the UI's document may have. */
  readonly baseUriDomains?: readonly string[];
}

/**
 * The browser permissions that a UI requests. Set each requested permission to an empty object. Hosts can refuse
 * permissions.
 */
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
  /** The origin of the sandbox, in the form that the host requires. */
  readonly domain?: string;
  /**
   * Whether the host draws a border around the UI.
   * @default the host decides
   */
  readonly prefersBorder?: boolean;
}

/**
 * Names the UI that shows the results of a tool (extension `io.modelcontextprotocol/ui`). The argument is the `ui://`
 * URI of a `@UiResource`, or an object with this URI and the permitted callers of the tool: the model, the UI, or both.
 * Clients without the extension see an ordinary tool.
 *
 * @example
 * ```ts
 * @Tool({ description: 'Rolls a die' })
 * @Ui('ui://dice/view.html')
 * roll(): number {
 *   return 1 + Math.floor(6 * Math.random());
 * }
 * ```
 * @see SEP-1865, MCP Apps 2026-01-26
 */
export const Ui: MetadataDecorator<string | ToolUiOptions> = createMetadataDecorator(Symbol.for('sigil:ui'));

/** Sets the `UiOptions` of a UI resource. `@UiResource` applies this decorator. */
export const UiPage: MetadataDecorator<UiOptions> = createMetadataDecorator(Symbol.for('sigil:ui-page'));

/** Whether a value is the URI of a UI resource. */
export function isUiUri(value: unknown): value is string {
  return typeof value === 'string' && /^ui:\/\/./.test(value);
}

/** Options of `@UiResource`. */
export type UiResourceOptions = UiOptions & Omit<ResourceOptions, 'groups' | 'mimeType' | 'cache' | 'list'>;

/**
 * Makes a method a UI resource (extension `io.modelcontextprotocol/ui`): HTML that hosts show in a sandbox. The HTML
 * shows the results of the tools whose `@Ui` names the resource.
 *
 * **Parameters and return value**: as for `@Resource`. A returned string is the HTML. The members of `UiOptions`, such
 * as `csp`, become the `_meta.ui` of the contents, unless the method returns contents that already have a `_meta.ui`.
 *
 * @param uri the URI that tools name, such as `ui://weather/view.html`.
 * @param options the origins and permissions of the UI, and the options of `@Resource`.
 * @example
 * ```ts
 * @UiResource('ui://weather/view.html', { csp: { connectDomains: ['https://api.example.com'] } })
 * view(): Promise<string> {
 *   return this.pages.read('weather.html');
 * }
 * ```
 * @see SEP-1865, MCP Apps 2026-01-26
 */
export function UiResource(uri: string, options: UiResourceOptions = {}): HandlerDecorator {
  const { ui, rest } = split(options);
  return applyDecorators(Resource(uri, { ...rest, mimeType: UI_MIME_TYPE }), UiPage(ui));
}

/** Options of `defineUiResource`: a `ui://` URI, the options of `@UiResource`, and the handler. */
export type UiResourceFunctionOptions<S extends SchemaLike> = UiResourceOptions &
  Omit<ResourceFunctionOptions<S>, 'groups' | 'mimeType' | 'cache'>;

/**
 * Defines a UI resource without decorators. It works like `@UiResource`.
 *
 * @param options a `ui://` URI, the options of `@UiResource`, and the handler.
 * @returns the definition, for `createApp`, a module, or `app.resources.add`.
 * @example
 * ```ts
 * const view = defineUiResource({ uri: 'ui://dice/view.html', name: 'die', handle: () => '<p>6</p>' });
 * ```
 * @see SEP-1865, MCP Apps 2026-01-26
 */
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

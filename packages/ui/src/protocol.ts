/** The revision of MCP Apps (SEP-1865) that views use. */
export const PROTOCOL_VERSION = '2026-01-26';

/** A block of content, in the result of a tool or in a message from a view. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
    }
  | { readonly type: 'resource'; readonly resource: ResourceContents };

/** The contents of a resource: either `text`, or `blob`, which contains bytes in base64. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The color theme of a host. */
export type Theme = 'light' | 'dark';

/** How a host shows a view: in the conversation, in the whole window, or in a small separate window. */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** The name and version of a host. */
export interface HostInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

/** The capabilities that a host offers to views. The host does not support a capability whose member is absent. */
export interface HostCapabilities {
  /** Set by hosts that support `openLink()`. */
  readonly openLinks?: object;
  /** Set by hosts that support `downloadFile()`. */
  readonly downloadFile?: object;
  /** Set by hosts that support `callTool()`. */
  readonly serverTools?: object;
  /** Set by hosts that support `readResource()`. */
  readonly serverResources?: object;
  /** Set by hosts that support `log()`. */
  readonly logging?: object;
  /** Set by hosts that support `updateModelContext()`. */
  readonly updateModelContext?: object;
  /** Set by hosts that support `sendMessage()`. */
  readonly message?: object;
  readonly [other: string]: unknown;
}

/** Information from the host about the environment of a view, such as the theme. Each member is optional. */
export interface HostContext {
  /** The tool whose result the view shows, and the JSON-RPC id of the call. */
  readonly toolInfo?: { readonly id?: string | number; readonly tool: { readonly name: string } };
  readonly theme?: Theme;
  readonly styles?: {
    /** The CSS variables of the host, such as `--color-background-primary`. */
    readonly variables?: Readonly<Record<string, string | undefined>>;
    readonly css?: {
      /** CSS with the `@font-face` rules and `@import` statements for the fonts of the host. */
      readonly fonts?: string;
    };
  };
  readonly displayMode?: DisplayMode;
  readonly availableDisplayModes?: readonly DisplayMode[];
  /** The size that the host allows for the view, in pixels. Each dimension is fixed or has a maximum. */
  readonly containerDimensions?: {
    readonly width?: number;
    readonly maxWidth?: number;
    readonly height?: number;
    readonly maxHeight?: number;
  };
  /** The language and region of the user, such as `de-AT`. */
  readonly locale?: string;
  /** The time zone of the user, such as `Europe/Vienna`. */
  readonly timeZone?: string;
  readonly userAgent?: string;
  readonly platform?: 'web' | 'desktop' | 'mobile';
  readonly deviceCapabilities?: { readonly touch?: boolean; readonly hover?: boolean };
  /** For each edge of the view, the number of pixels that the device covers, for example with a notch. */
  readonly safeAreaInsets?: {
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
    readonly left: number;
  };
  readonly [other: string]: unknown;
}

/** The severity of a log message. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

// The browser side of MCP Apps: `connect()` connects a view to its host.
export { connect, type ConnectOptions } from './connect.js';
export { applyStyles } from './page.js';
export { type View } from './view.js';
export { ViewError, type ViewErrorCode } from './view-error.js';
export type { RequestOptions } from './host-channel.js';
export {
  textOf,
  type AnyTools,
  type CallArguments,
  type InputOf,
  type Json,
  type OutputOf,
  type ToolMap,
  type ToolResult,
  type ToolTypes,
} from './tools.js';
export type {
  Content,
  DisplayMode,
  HostCapabilities,
  HostContext,
  HostInfo,
  LogLevel,
  ResourceContents,
  Theme,
} from './protocol.js';

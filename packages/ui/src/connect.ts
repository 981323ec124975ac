import { HostChannel } from './host-channel.js';
import { HostEvents } from './host-events.js';
import { type DisplayMode, PROTOCOL_VERSION } from './protocol.js';
import type { AnyTools, InputOf, OutputOf, ToolMap, ToolResult } from './tools.js';
import { reportSizes } from './page.js';
import { type InitializeResult, View } from './view.js';
import { ViewError } from './view-error.js';

/** The name, version and capabilities of a view. */
export interface ConnectOptions {
  readonly name: string;
  readonly version: string;
  /**
   * The display modes that the view supports.
   * @default undefined: the host decides
   */
  readonly displayModes?: readonly DisplayMode[];
  /**
   * Whether to report the size of the document to the host, when the view connects and after each change. The host can
   * then adapt the height of the frame.
   * @default true
   */
  readonly reportsSize?: boolean;
  /**
   * Maximum time to wait until the host accepts the view, in milliseconds.
   * @default 10000
   */
  readonly timeoutMs?: number;
}

/**
 * Connects the page to the host that shows it. For the types of the tools, import the server's DTO classes with `import
 * type`, so that the page contains no code of the server.
 *
 * @param options the name, version and capabilities of the view.
 * @returns the view, once the host has accepted it.
 * @throws ViewError `NO_HOST` if no host embeds the page; `TIMEOUT` if the host does not answer in time; `REFUSED` if
 *   the host answers with an error.
 * @example
 * ```ts
 * interface Tools {
 *   show_list: { output: ShoppingList };
 *   add_item: { input: Item; output: ShoppingList };
 * }
 * const view = await connect<Tools, 'show_list'>({ name: 'shopping', version: '1.0.0' });
 * view.onResult((result) => {
 *   if (!result.isError) console.log(result.structuredContent);
 * });
 * const result = await view.callTool('add_item', { name: 'Milk' });
 * ```
 * @see SEP-1865, MCP Apps 2026-01-26
 */
export async function connect<
  Tools extends ToolMap<Tools> = AnyTools,
  Shown extends keyof Tools = keyof Tools,
>({
  name,
  version,
  displayModes,
  reportsSize = true,
  timeoutMs = 10_000,
}: ConnectOptions): Promise<View<Tools, Shown>> {
  if (typeof window === 'undefined' || parent === window)
    throw new ViewError(
      'NO_HOST',
      'No host embeds this page: open it in a host for MCP Apps, for example in the page of sigil dev',
    );
  const events = new HostEvents<InputOf<Tools[Shown]>, ToolResult<OutputOf<Tools[Shown]>>>();
  const channel = new HostChannel(parent, (method, params) => events.take(method, params));
  try {
    const initialized = await channel.request<InitializeResult>(
      'ui/initialize',
      {
        appInfo: { name, version },
        appCapabilities: displayModes ? { availableDisplayModes: displayModes } : {},
        protocolVersion: PROTOCOL_VERSION,
      },
      { timeoutMs },
    );
    await events.changeContext(initialized.hostContext);
    channel.notify('ui/notifications/initialized');
    const stopReporting = reportsSize ? reportSizes(channel) : (): void => undefined;
    return new View<Tools, Shown>(channel, events, initialized, stopReporting);
  } catch (error) {
    channel.close();
    throw error;
  }
}

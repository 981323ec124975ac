import type { HostChannel, RequestOptions } from './host-channel.js';
import type { HostEvents } from './host-events.js';
import type {
  Content,
  DisplayMode,
  HostCapabilities,
  HostContext,
  HostInfo,
  LogLevel,
  ResourceContents,
} from './protocol.js';
import type { AnyTools, CallArguments, InputOf, OutputOf, ToolMap, ToolResult } from './tools.js';
import { ViewError } from './view-error.js';

/** A host's answer to `ui/initialize`. */
export interface InitializeResult {
  readonly hostInfo: HostInfo;
  readonly hostCapabilities: HostCapabilities;
  readonly hostContext: HostContext;
}

/**
 * A view that is connected to its host. Methods such as `onResult` and `onContext` add a listener for an event. If the
 * event has already occurred, the new listener is immediately called with the latest value. Each of these methods
 * returns a function that removes the listener.
 */
export class View<Tools extends ToolMap<Tools> = AnyTools, Shown extends keyof Tools = keyof Tools> {
  /** The name and version of the host that shows the view. */
  readonly host: HostInfo;
  /** The capabilities of the host that shows the view. */
  readonly capabilities: HostCapabilities;
  readonly #channel: HostChannel;
  readonly #events: HostEvents<InputOf<Tools[Shown]>, ToolResult<OutputOf<Tools[Shown]>>>;
  readonly #atEnd: () => void;

  /** @param atEnd a function that is called when the view is closed. It stops the reports of the size. */
  constructor(
    channel: HostChannel,
    events: HostEvents<InputOf<Tools[Shown]>, ToolResult<OutputOf<Tools[Shown]>>>,
    { hostInfo, hostCapabilities }: InitializeResult,
    atEnd: () => void,
  ) {
    this.#channel = channel;
    this.#events = events;
    this.#atEnd = atEnd;
    this.host = hostInfo;
    this.capabilities = hostCapabilities;
  }

  /** The current context of the host, such as the theme, the language and the available size. */
  get context(): HostContext {
    return this.#events.current;
  }

  /** Listens for the context of the host and its changes. */
  onContext(listener: (context: HostContext) => void): () => void {
    return this.#events.context.add(listener);
  }

  /** Listens for the arguments of the tool whose result the view shows. */
  onInput(listener: (input: InputOf<Tools[Shown]>) => void): () => void {
    return this.#events.input.add(listener);
  }

  /** Listens for the arguments while the model still writes them. Any argument can be missing or incomplete. */
  onPartialInput(listener: (input: Partial<InputOf<Tools[Shown]>>) => void): () => void {
    return this.#events.partialInput.add(listener);
  }

  /** Listens for the result of the tool call that the view shows. */
  onResult(listener: (result: ToolResult<OutputOf<Tools[Shown]>>) => void): () => void {
    return this.#events.result.add(listener);
  }

  /**
   * Listens for the cancellation of the tool call, which then has no result. The listener receives the host's reason.
   */
  onCancelled(listener: (reason: string | undefined) => void): () => void {
    return this.#events.cancelled.add(listener);
  }

  /**
   * Listens for the host's request to end the view. The host waits until the listener's promise has settled.
   */
  onTeardown(listener: () => void | Promise<void>): () => void {
    return this.#events.teardown.add(listener);
  }

  /**
   * Calls a tool of the server.
   *
   * @param name the name of a tool. The `visibility` of the tool must include `app`, as it does by default.
   * @param rest the arguments of the tool, and the options of the request, such as `timeoutMs`.
   * @returns the result. If the tool fails, the result has `isError`.
   * @throws ViewError when the host refuses or does not answer.
   * @example
   * ```ts
   * const result = await view.callTool('add_item', { name: 'Milk' });
   * if (!result.isError) console.log(result.structuredContent);
   * ```
   */
  callTool<Name extends keyof Tools & string>(
    name: Name,
    ...rest: CallArguments<Tools[Name], RequestOptions>
  ): Promise<ToolResult<OutputOf<Tools[Name]>>> {
    const [args = {}, options] = rest;
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /**
   * Reads a resource of the server.
   *
   * @throws ViewError when the host refuses or does not answer.
   */
  async readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]> {
    const result = await this.request<{ contents: ResourceContents[] }>('resources/read', { uri }, options);
    return result.contents;
  }

  /**
   * Opens a page in the user's browser.
   *
   * @throws ViewError `REFUSED` when the host or the user refuses.
   */
  openLink(url: string, options?: RequestOptions): Promise<void> {
    return this.#ask('ui/open-link', { url }, options);
  }

  /**
   * Asks the host to save files for the user. A view cannot do this itself, because its page is in a sandbox.
   *
   * @param contents embedded resources, or links to resources.
   * @throws ViewError `REFUSED` when the host or the user refuses.
   */
  downloadFile(contents: readonly Content[], options?: RequestOptions): Promise<void> {
    return this.#ask('ui/download-file', { contents }, options);
  }

  /**
   * Adds a message to the conversation, as if the user had written it. The model answers the message.
   *
   * @param content a text, or blocks of content.
   * @throws ViewError `REFUSED` when the host refuses.
   */
  sendMessage(content: string | readonly Content[], options?: RequestOptions): Promise<void> {
    return this.#ask('ui/message', { role: 'user', content: blocksOf(content) }, options);
  }

  /**
   * Sets information for the model, which receives it with the user's next message. Each call replaces the information
   * from earlier calls of this view.
   *
   * @param content a text, or blocks of content.
   * @throws ViewError `REFUSED` when the host refuses.
   */
  updateModelContext(content: string | readonly Content[], options?: RequestOptions): Promise<void> {
    return this.#ask('ui/update-model-context', { content: blocksOf(content) }, options);
  }

  /**
   * Asks the host to show the view in another display mode.
   *
   * @returns the mode that the host has set. It can differ from the requested mode.
   */
  async requestDisplayMode(mode: DisplayMode, options?: RequestOptions): Promise<DisplayMode> {
    return (await this.request<{ mode: DisplayMode }>('ui/request-display-mode', { mode }, options)).mode;
  }

  /** Writes a message into the host's log. */
  log(level: LogLevel, data: unknown): void {
    this.#channel.notify('notifications/message', { level, data });
  }

  /** Asks the host to end the view. If the host does so, the listeners of `onTeardown` run first. */
  requestTeardown(): void {
    this.#channel.notify('ui/notifications/request-teardown');
  }

  /** Reports the size of the view to the host, in pixels. Use it in views that connect with `reportsSize: false`. */
  reportSize(size: { readonly width?: number; readonly height?: number }): void {
    this.#channel.notify('ui/notifications/size-changed', size);
  }

  /**
   * Sends any request of MCP Apps to the host. Use it for requests that have no method in this class.
   *
   * @returns the host's result.
   * @throws ViewError when the host refuses or does not answer.
   */
  request<Result>(method: string, params: object, options?: RequestOptions): Promise<Result> {
    return this.#channel.request(method, params, options);
  }

  /** Stops listening to the host and reporting the size. Pending requests fail with a `ViewError` `CLOSED`. */
  close(): void {
    this.#atEnd();
    this.#channel.close();
  }

  async #ask(method: string, params: object, options?: RequestOptions): Promise<void> {
    const result = await this.request<{ isError?: boolean }>(method, params, options);
    if (result.isError) throw new ViewError('REFUSED', `The host refused ${method}`, { cause: result });
  }
}

function blocksOf(content: string | readonly Content[]): readonly Content[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

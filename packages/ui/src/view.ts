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
 * A view that is connected to its host. Listeners that are added later do not miss events: `onInput`, `onResult`,
 * `onContext` and the others call a new listener at once with the last event. Each of them returns a function that
 * removes the listener.
 */
export class View<Tools extends ToolMap<Tools> = AnyTools, Shown extends keyof Tools = keyof Tools> {
  /** The host that shows the view. */
  readonly host: HostInfo;
  /** The capabilities of that host. */
  readonly capabilities: HostCapabilities;
  readonly #channel: HostChannel;
  readonly #events: HostEvents<InputOf<Tools[Shown]>, ToolResult<OutputOf<Tools[Shown]>>>;
  readonly #atEnd: () => void;

  /** @param atEnd called when the view is closed, to stop reporting the size. */
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

  /** The host's context as last received, such as theme, language and available size. */
  get context(): HostContext {
    return this.#events.current;
  }

  /** Listens for the context and its changes. */
  onContext(listener: (context: HostContext) => void): () => void {
    return this.#events.context.add(listener);
  }

  /** Listens for the arguments of the tool whose result the view shows. */
  onInput(listener: (input: InputOf<Tools[Shown]>) => void): () => void {
    return this.#events.input.add(listener);
  }

  /** Listens for the arguments while the model still writes them: any argument may be incomplete. */
  onPartialInput(listener: (input: Partial<InputOf<Tools[Shown]>>) => void): () => void {
    return this.#events.partialInput.add(listener);
  }

  /** Listens for the result of the tool that the view is shown for. */
  onResult(listener: (result: ToolResult<OutputOf<Tools[Shown]>>) => void): () => void {
    return this.#events.result.add(listener);
  }

  /** Listens for the cancellation of a call, which then has no result. The listener gets the host's reason. */
  onCancelled(listener: (reason: string | undefined) => void): () => void {
    return this.#events.cancelled.add(listener);
  }

  /** Listens for the end of the view. The host waits for the listener's promise. */
  onTeardown(listener: () => void | Promise<void>): () => void {
    return this.#events.teardown.add(listener);
  }

  /**
   * Calls a tool of the server.
   *
   * @param name the name of a tool. The `visibility` of the tool must include `app`, as it does by default.
   * @param rest the arguments of the tool, and how long to wait.
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
   * Asks the host to save files, because a sandboxed page cannot download.
   *
   * @param contents embedded resources, or links to resources.
   * @throws ViewError `REFUSED` when the host or the user refuses.
   */
  downloadFile(contents: readonly Content[], options?: RequestOptions): Promise<void> {
    return this.#ask('ui/download-file', { contents }, options);
  }

  /**
   * Sends a message into the conversation, in the name of the user. The model answers the message.
   *
   * @param content a text, or blocks of content.
   * @throws ViewError `REFUSED` when the host refuses.
   */
  sendMessage(content: string | readonly Content[], options?: RequestOptions): Promise<void> {
    return this.#ask('ui/message', { role: 'user', content: blocksOf(content) }, options);
  }

  /**
   * Sets the view's context, which the model gets with the user's next message. It replaces the earlier context.
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
   * @returns the mode that the host has set, which may differ from the requested one.
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

  /** Reports a size in pixels. It is for views that are connected with `reportsSize: false`. */
  reportSize(size: { readonly width?: number; readonly height?: number }): void {
    this.#channel.notify('ui/notifications/size-changed', size);
  }

  /**
   * Sends any other request that the protocol has.
   *
   * @returns the host's result.
   * @throws ViewError when the host refuses or does not answer.
   */
  request<Result>(method: string, params: object, options?: RequestOptions): Promise<Result> {
    return this.#channel.request(method, params, options);
  }

  /** Stops listening to the host and reporting the size. Requests that wait for an answer fail. */
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

import { isObject, type JsonObject, objectOf } from '../../../src/json.js';
import { messageOf, shown, textOf } from '../mcp/messages.js';
import { MOST_PER_SECOND, ViewMessages } from './view-messages.js';

/** The version of MCP Apps that this host supports (SEP-1865). */
const VERSION = '2026-01-26';

/** The result that a view displays. */
export interface ShownResult {
  readonly tool: JsonObject;
  readonly args: unknown;
  readonly result: JsonObject;
}

/** The functions that the host calls to handle the messages and requests of a view. */
export interface HostRequests {
  /** Called when the view requests its initialization (`ui/initialize`). */
  started(): void;
  callTool(params: JsonObject): Promise<JsonObject>;
  readResource(params: JsonObject): Promise<JsonObject>;
  /** Asks the developer whether to open a link. @returns whether the link was opened. */
  openLink(url: string): Promise<boolean>;
  /** Called with each message that the page only displays, such as a message to the model or to the log. */
  told(what: string, params: unknown): void;
  resized(height: number): void;
  /** Called with the number of messages that were dropped, because the view sent too many. */
  dropped(count: number): void;
  /** Called with the text of an error in the view. */
  failed(text: string): void;
}

/** The host of one view. Answers the messages of its frame, and ignores all others. */
export class AppHost {
  readonly #messages: ViewMessages;
  readonly #listener = (event: MessageEvent<unknown>): void => {
    // The origin of a sandboxed frame is opaque, so its window identifies it.
    if (event.source !== this.frame.contentWindow || this.#messages.receive(event.data)) return;
    const { id } = objectOf(event.data);
    const message = `The host accepts at most ${MOST_PER_SECOND} messages of a view per second`;
    if (typeof id === 'string' || typeof id === 'number')
      this.#send({ id, error: { code: -32000, message } });
  };

  constructor(
    private readonly frame: HTMLIFrameElement,
    private readonly shown: ShownResult,
    private readonly requests: HostRequests,
  ) {
    this.#messages = new ViewMessages({
      read: (message) => void this.#received(message),
      refused: (reason) => requests.told('refused, because it is not JSON', reason),
      dropped: (count) => requests.dropped(count),
    });
    addEventListener('message', this.#listener);
  }

  close(): void {
    removeEventListener('message', this.#listener);
    this.#messages.close();
  }

  async #received({ id, method, params: given }: JsonObject): Promise<void> {
    if (typeof method !== 'string') return;
    const params = isObject(given) ? given : {};
    if (id === undefined) return this.#notified(method, params);
    try {
      this.#send({ id, result: await this.#answer(method, params) });
    } catch (error) {
      this.#send({
        id,
        error: { code: error instanceof UnknownMethod ? -32601 : -32000, message: messageOf(error) },
      });
    }
  }

  #notified(method: string, params: JsonObject): void {
    switch (method) {
      case 'ui/notifications/initialized': {
        const { args, result } = this.shown;
        this.#send({ method: 'ui/notifications/tool-input', params: { arguments: args ?? {} } });
        return this.#send({ method: 'ui/notifications/tool-result', params: result });
      }
      case 'ui/notifications/size-changed': {
        const { height } = params;
        if (typeof height === 'number') this.requests.resized(Math.ceil(height));
        return;
      }
      // The command adds a script to each view, which reports its errors.
      case 'sigil/view-error':
        return this.requests.failed(shown(params['text']));
      default:
        return this.requests.told(method, params);
    }
  }

  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    switch (method) {
      case 'ui/initialize':
        this.requests.started();
        return this.#initialized();
      case 'ping':
        return {};
      case 'tools/call':
        return this.requests.callTool(params);
      case 'resources/read':
        return this.requests.readResource(params);
      case 'ui/open-link': {
        const url = textOf(params['url']) ?? '';
        if (!/^https?:\/\//.test(url)) throw new Error('Only http and https links are opened');
        return (await this.requests.openLink(url)) ? {} : { isError: true };
      }
      case 'ui/message':
      case 'ui/update-model-context':
        this.requests.told(method, params);
        return {};
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      default:
        throw new UnknownMethod(`The host does not know ${method}`);
    }
  }

  #initialized(): JsonObject {
    const { tool } = this.shown;
    return {
      protocolVersion: VERSION,
      hostInfo: { name: 'sigil-dev', version: '1' },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        serverResources: {},
        logging: {},
        message: { text: {} },
        updateModelContext: { text: {} },
      },
      hostContext: {
        toolInfo: { tool },
        theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: { width: this.frame.clientWidth, maxHeight: 2000 },
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        userAgent: 'sigil-dev',
        platform: 'web',
      },
    };
  }

  #send(message: JsonObject): void {
    // An opaque origin has no name: the frame is known by its window.
    this.frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }
}

class UnknownMethod extends Error {}

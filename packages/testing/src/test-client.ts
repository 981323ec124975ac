/// <reference lib="esnext.disposable" preserve="true" />
import type { LogLevel } from '@sigil/core';
import type { Annotations, Icon } from '@sigil/core/content';
import { pagesOf } from '@sigil/core/internal';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  Implementation,
  PromptDescriptor,
  ProtocolVersion,
  ReadResourceResult,
  ServerCapabilities,
  ToolDescriptor,
} from '@sigil/core/protocol';
import { METHODS } from '@sigil/core/transport';
import type { Caller, CallOptions } from './caller.js';
import { listen, type ListenFilter, type Subscription, Subscriptions } from './listen.js';
import type { ReceivedNotification, NotificationLog, NotificationPredicate } from './notification-log.js';
import type { Wire } from './wire.js';

/** The result of `initialize`: the server's description of itself at the start of a session. */
export interface ServerDetails {
  readonly protocolVersion: ProtocolVersion;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation;
  readonly instructions?: string;
}

/** The result of `server/discover`: the server's description of itself (revision 2026-07-28 or later). */
export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

interface Descriptor {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly _meta?: Record<string, unknown>;
}

/** A resource in the result of `resources/list`. */
export interface ResourceDescriptor extends Descriptor {
  readonly uri: string;
  /** Size of the raw contents in bytes. */
  readonly size?: number;
}

/** A resource template in the result of `resources/templates/list`. */
export interface ResourceTemplateDescriptor extends Descriptor {
  /** The URI template (RFC 6570). */
  readonly uriTemplate: string;
}

/** The target of a completion: a prompt by name, or a resource template by its URI template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

/** The parts of a `TestClient`. */
export interface ClientParts {
  readonly revision: ProtocolVersion;
  readonly server: ServerDetails | undefined;
  readonly wire: Wire;
  readonly caller: Caller;
  readonly log: NotificationLog;
  /** Maximum time to wait for an answer or a notification, in milliseconds; `Infinity` for no limit. */
  readonly timeoutMs: number;
}

/**
 * A client of a server in the same process. `connect` creates it.
 *
 * Every method that sends a request rejects with a `ProtocolError` if the answer is a JSON-RPC error. If no answer
 * arrives in time, it rejects with an `Error`. Results contain all members that the server sent, such as `resultType`.
 *
 * @example
 * ```ts
 * await using client: TestClient = await connect(app);
 * const result = await client.callTool('check_inventory', { sku: 'A-1' });
 * expect(result.isError).toBeFalsy();
 * ```
 */
export class TestClient implements AsyncDisposable {
  /** The protocol revision that the client uses. */
  readonly revision: ProtocolVersion;
  /**
   * The server's result of `initialize`. It is `undefined` in revision 2026-07-28; there, `discover()` returns
   * information about the server.
   */
  readonly server: ServerDetails | undefined;
  readonly #parts: ClientParts;
  readonly #subscriptions: Subscriptions;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.revision = parts.revision;
    this.server = parts.server;
    this.#subscriptions = new Subscriptions(parts.revision, parts.caller, (filter) => this.listen(filter));
  }

  /** Every notification received so far, in order. */
  get notifications(): readonly ReceivedNotification[] {
    return this.#parts.log.entries;
  }

  /** Returns all tools that the server lists, from all pages. */
  listTools(options?: CallOptions): Promise<ToolDescriptor[]> {
    return this.#list(METHODS.listTools, 'tools', options);
  }

  /** Returns all resources that the server lists, from all pages. Resource templates are not included. */
  listResources(options?: CallOptions): Promise<ResourceDescriptor[]> {
    return this.#list(METHODS.listResources, 'resources', options);
  }

  /** Returns all resource templates that the server lists, from all pages. */
  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplateDescriptor[]> {
    return this.#list(METHODS.listTemplates, 'resourceTemplates', options);
  }

  /** Returns all prompts that the server lists, from all pages. */
  listPrompts(options?: CallOptions): Promise<PromptDescriptor[]> {
    return this.#list(METHODS.listPrompts, 'prompts', options);
  }

  /** Calls a tool. If the tool itself fails, the result has `isError`; the promise does not reject. */
  callTool(name: string, args: object = {}, options?: CallOptions): Promise<CallToolResult> {
    return this.request(METHODS.callTool, { name, arguments: args }, options);
  }

  /** Reads a resource by its URI. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.request(METHODS.readResource, { uri }, options);
  }

  /** Gets the messages of a prompt. In MCP, all arguments of prompts are strings. */
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return this.request(METHODS.getPrompt, { name, arguments: args }, options);
  }

  /**
   * Requests completions for one argument of a prompt or resource template.
   *
   * @param value the beginning of the value, which the user has already typed.
   * @param settled the values of the other arguments that are already known (since revision 2025-06-18).
   * @returns the member `completion` of the result.
   */
  async complete(
    ref: CompletionReference,
    argument: string,
    value: string,
    settled?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<CompleteResult['completion']> {
    const context = settled ? { context: { arguments: settled } } : {};
    const params = { ref, argument: { name: argument, value }, ...context };
    return (await this.request<CompleteResult>(METHODS.complete, params, options)).completion;
  }

  /** Sends a ping. In revision 2026-07-28, servers answer with the error -32601, because this revision has no ping. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request(METHODS.ping, {}, options);
  }

  /**
   * Requests the server's versions and capabilities (`server/discover`). Only revision 2026-07-28 has this method. In
   * older revisions, servers answer with the error -32601.
   */
  discover(options?: CallOptions): Promise<DiscoverResult> {
    return this.request(METHODS.discover, {}, options);
  }

  /** Subscribes to a resource: in the session, or on a subscription stream in revisions without sessions. */
  subscribe(uri: string): Promise<void> {
    return this.#subscriptions.add(uri);
  }

  /** Ends a subscription. */
  unsubscribe(uri: string): Promise<void> {
    return this.#subscriptions.remove(uri);
  }

  /** Opens a subscription stream (revision 2026-07-28 or later) and waits until the server has acknowledged it. */
  listen(filter: ListenFilter): Promise<Subscription> {
    return listen(this.#parts, filter);
  }

  /**
   * Sets the lowest level of log messages for the session or, in revisions without sessions, for every later request.
   */
  setLogLevel(level: LogLevel): Promise<void> {
    return this.#parts.caller.setLogLevel(level);
  }

  /**
   * Sends any request. The client adds the members of `_meta` that the revision requires, and sends all other members
   * unchanged.
   */
  async request<T extends object = Record<string, unknown>>(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options?: CallOptions,
  ): Promise<T> {
    return (await this.#parts.caller.call(method, params, options)) as T;
  }

  /** Sends a notification, such as `notifications/roots/list_changed`. */
  notify(method: string, params?: object): void {
    this.#parts.wire.notify(method, params);
  }

  /**
   * Returns the first matching notification that no earlier `waitFor` has returned. If none has arrived yet, waits for
   * one. Two calls never return the same notification.
   *
   * @param predicate a function that returns whether a notification of this method is the expected one.
   * @param timeoutMs how long to wait, in milliseconds; by default the `timeoutMs` of the connection.
   * @throws Error when no such notification arrived in time.
   */
  waitFor(
    method: string,
    predicate: NotificationPredicate = () => true,
    timeoutMs: number = this.#parts.timeoutMs,
  ): Promise<ReceivedNotification> {
    return this.#parts.log.next(method, predicate, { timeoutMs });
  }

  /** Disconnects from the server, which keeps running. Pending calls and waits reject. */
  async close(): Promise<void> {
    const error = new Error('The client was closed');
    this.#parts.log.close(error);
    await this.#parts.wire.close(error);
  }

  /** Closes the client, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #list<T>(method: string, key: string, options?: CallOptions): Promise<T[]> {
    const entries: T[] = [];
    const pages = pagesOf(
      (params) => this.request(method, params, options),
      (cursor) => new Error(`The server gave the cursor ${JSON.stringify(cursor)} twice`),
    );
    for await (const page of pages) entries.push(...((page[key] ?? []) as T[]));
    return entries;
  }
}

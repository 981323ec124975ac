import type { Call } from '../context/call.js';
import type { CacheHint } from '../protocol/cache-hint.js';
import type { Logger } from '../protocol/logger.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ToolEntry } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import type { ServerChange } from './changes/change-bus.js';
import type { Detachable } from './background.js';

/** Settings of an extension, as the capabilities announce them. */
export type ExtensionSettings = Readonly<Record<string, unknown>>;

/** A call that an extension may answer before its handler is done. */
export type ExtensionCall = Call & Detachable;

/** A request that an extension adds to the protocol. */
export interface ExtensionMethod {
  /** Whether clients may send it without having declared the extension. They may not unless it says so. */
  readonly undeclared?: boolean;
  /** The member of `params` that the header `Mcp-Name` repeats, if any. */
  readonly namedBy?: string;
  /**
   * Gives the result. A member `resultType` replaces `complete`.
   *
   * @throws ProtocolError to answer with an error.
   */
  serve(call: ExtensionCall, params: Readonly<Record<string, unknown>>): MaybePromise<object>;
}

/** How an extension takes part in the calls of one tool. */
export interface ToolDetour {
  /** Whether the tool is of no use to clients with sessions (up to 2025-11-25), and hidden from them. */
  readonly hiddenFromSessions: boolean;
  /**
   * Serves one call.
   *
   * @param run runs the handler and gives its result as JSON.
   */
  serve(call: ExtensionCall, run: () => MaybePromise<string>): MaybePromise<string>;
}

/** An extension of the protocol, negotiated under `capabilities.extensions` (SEP-2133). */
export interface Extension {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** Whether clients with sessions (up to 2025-11-25) are told of it too. Its methods are for the others alone. */
  readonly inSessions?: boolean;
  /** What the server announces; `undefined` while it has nothing to offer. Asked again when the registry has changed. */
  settings(): ExtensionSettings | undefined;
  /** The requests it adds, by method. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /** Takes part in the calls of a tool, or not. Asked once a tool. */
  detour?(tool: ToolEntry): ToolDetour | undefined;
  /**
   * Reads its part of what a `subscriptions/listen` asks for.
   *
   * @returns the members of the filter that the server agrees to.
   * @throws ProtocolError when the client asks for what it may not have.
   */
  listen?(
    call: ExtensionCall,
    wanted: Readonly<Record<string, unknown>>,
  ): MaybePromise<Readonly<Record<string, unknown>>>;
  /** Ends what still runs. */
  close?(): Promise<void>;
}

/** What the engine offers to extensions. */
export interface ExtensionHost {
  readonly registry: Registry;
  readonly logger: Logger;
  /** Most entries on one page of a list; `undefined` for all on one page. */
  readonly pageSize: number | undefined;
  /** How long, and for whom, clients may keep lists of resources. */
  readonly listCache: CacheHint;
  /** Tells every process that serves the app of a change. */
  publish(change: ServerChange): void;
  /** Listens to changes, from whichever process. */
  onChange(listener: (change: ServerChange) => void): void;
  /** Whether any `subscriptions/listen` stream wants something. */
  hasListener(wanted: (filter: Readonly<Record<string, unknown>>) => boolean): boolean;
  /** Sends a notification to the `subscriptions/listen` streams whose filter wants it. */
  notifyListeners(
    method: string,
    params: object,
    wanted: (filter: Readonly<Record<string, unknown>>) => boolean,
  ): void;
}

/** Makes an extension for one app. Give it to `createApp({ extensions })`. */
export type ExtensionFactory = (host: ExtensionHost) => Extension;

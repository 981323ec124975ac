import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ElicitUrlResult,
  Implementation,
  Principal,
  ProtocolVersion,
  RequestFacts,
  Root,
} from '@sigil/core';
import type { ElicitRequest } from './elicit-request.js';
import type { MaybePromise } from './maybe-promise.js';
import type { Notification } from './notification-log.js';

/** What the client answers when the server asks. A question without an answer here is refused (-32601). */
export interface Answers {
  /** Stands for the user: fills in forms and agrees to open pages. */
  readonly onElicit?: (request: ElicitRequest) => MaybePromise<ElicitResult | ElicitUrlResult>;
  /** Stands for the client's model. */
  readonly onSample?: (params: CreateMessageParams) => MaybePromise<CreateMessageResult>;
  /** The directories and files the client shares. */
  readonly roots?: readonly Root[];
}

/** How a client connects, and who it says it is. */
export interface ConnectOptions extends Answers {
  /** The protocol revision to speak; the newest unless given. */
  readonly revision?: ProtocolVersion;
  /** What the client claims to be able to do. What it has answers for, as far as the revision knows it, unless given. */
  readonly capabilities?: ClientCapabilities;
  /**
   * Declares the extension `io.modelcontextprotocol/tasks`: a call that becomes a task is followed to its end, and what the task
   * asks is answered, so that `callTool` gives the result as always. Known to 2026-07-28 alone.
   */
  readonly tasks?: boolean;
  /** Who the client says it is; `sigil-testing` unless given. */
  readonly clientInfo?: Implementation;
  /** HTTP headers the server is to see with every message, as if they had come over HTTP. Case is ignored. */
  readonly headers?: RequestFacts['headers'];
  /** The principal every message comes from, as if a transport had verified it. */
  readonly principal?: Principal;
  /** Takes every notification, besides `client.notifications`. */
  readonly onNotification?: (notification: Notification) => void;
  /** Milliseconds a request may take; 10 seconds unless given. `Infinity` waits for ever. */
  readonly timeoutMs?: number;
}

import type { App } from '@sigil/core';

export interface Message {
  readonly jsonrpc?: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Era = 'legacy' | 'modern';

/** Stands for the user: answers what the server asks. */
export type Answer = (question: Message) => Record<string, unknown>;

/** A request that is under way. */
export interface Pending {
  readonly id: string | number;
  /** What came for this request before its response, in the order it came. */
  readonly early: readonly Message[];
  /** The response; `undefined` when the client has cancelled and none is to come. */
  readonly response: Promise<Message | undefined>;
  /** Cancels the way the transport and the era have it. */
  cancel(): void;
}

/** A client over one transport, in one era. */
export interface ContractClient {
  /** Sends a request, with its id for progress token. */
  start(method: string, params?: Record<string, unknown>, id?: string | number): Pending;
  /** Sends a value that is JSON, but no message of the protocol. */
  sendValue(value: unknown): Promise<void>;
  /** Sends text that is no JSON; absent where the transport carries values. */
  sendGarbage?(text: string): Promise<void>;
  /** Everything that came and belongs to nothing this client still waits for. */
  readonly strays: readonly Message[];
  /** Lets the server close, giving requests in flight their time. */
  close(): Promise<void>;
}

/** A transport in one era, and how to open a client over it. */
export interface Contestant {
  readonly name: string;
  readonly era: Era;
  open(app: App, answer: Answer): Promise<ContractClient>;
}

const PREFIX = 'io.modelcontextprotocol/';
export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';

/** The parameters of a request as its era wants them. */
export function paramsFor(
  era: Era,
  id: string | number,
  params: Record<string, unknown>,
): Record<string, unknown> {
  const envelope = {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: { elicitation: {} },
  };
  return { ...params, _meta: { progressToken: id, ...(era === 'modern' ? envelope : {}) } };
}

export function initializeParams(): Record<string, unknown> {
  return {
    protocolVersion: LEGACY,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'contract', version: '1.0.0' },
  };
}

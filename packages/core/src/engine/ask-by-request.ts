import { notification } from '../protocol/json-rpc.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Carry } from './ask.js';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/** Carries questions as JSON-RPC requests to the client, on the stream of the request that asks (up to 2025-11-25). */
export const askByRequest: Carry = (exchange, { method, params }, options) =>
  exchange.link.pending.ask(
    {
      send: (id) =>
        exchange.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })),
      withdraw: (requestId, reason) =>
        exchange.send(notification(NOTIFICATIONS.cancelled, { requestId, reason })),
    },
    { timeoutMs: options?.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal: exchange.signal },
  );

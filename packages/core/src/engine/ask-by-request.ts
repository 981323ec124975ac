import { notification } from '../protocol/json-rpc.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Carry } from './asker.js';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/** Carries questions as JSON-RPC requests to the client, on the stream of the request that asks (up to 2025-11-25). */
export const askByRequest: Carry = (asking, { method, params }, options) =>
  asking.link.pending.ask(
    {
      send: (id) =>
        asking.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })),
      withdraw: (requestId, reason) =>
        asking.send(notification(NOTIFICATIONS.cancelled, { requestId, reason })),
    },
    { timeoutMs: options?.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal: asking.signal },
  );

import { notification } from '../protocol/json-rpc.js';
import { NOTIFICATIONS } from '../protocol/methods.js';
import type { Carry } from './asker.js';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 60 * 60_000;

/** Carries questions as JSON-RPC requests to the client, on the stream of the request that asks (up to 2025-11-25). */
export const askByRequest: Carry = (asking, { method, params }, options = {}) => {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxTimeoutMs = Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs) } =
    options;
  return asking.link.pending.ask(
    {
      send: (id) => {
        // What takes a user or a model may take long: progress on it buys time.
        const awaited = params ? { params: { ...params, _meta: { progressToken: id } } } : {};
        asking.send(JSON.stringify({ jsonrpc: '2.0', id, method, ...awaited }));
      },
      withdraw: (requestId, reason) =>
        asking.send(notification(NOTIFICATIONS.cancelled, { requestId, reason })),
    },
    { timeoutMs, maxTimeoutMs, signal: asking.signal },
  );
};

import { notification } from '../protocol/json-rpc.js';
import { METHODS, NOTIFICATIONS } from '../protocol/methods.js';
import type { Asking, Carry, CarryOptions } from './asker.js';
import type { InputRequest } from './input-request.js';
import type { Answer } from './rounds/round-memory.js';
import { together } from './together.js';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 60 * 60_000;

/** Carries questions as JSON-RPC requests to the client, on the stream of the request that asks (up to 2025-11-25). */
export const askByRequest: Carry = {
  ask(asking, _key, request, options = {}) {
    return isPage(request) ? askForPage(asking, request, options) : send(asking, request, options);
  },
  askAll(asking, requests) {
    return together(requests, asking.signal, (key, request, signal) =>
      askByRequest.ask(asking, key, request, { signal }),
    );
  },
};

function send(asking: Asking, { method, params }: InputRequest, options: CarryOptions): Promise<Answer> {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxTimeoutMs = Math.max(DEFAULT_MAX_TIMEOUT_MS, timeoutMs),
    signal = asking.signal,
  } = options;
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
    { timeoutMs, maxTimeoutMs, signal },
  );
}

/** Pages have an identity, by which the server says later that they have done their work. */
async function askForPage(asking: Asking, request: InputRequest, options: CarryOptions): Promise<Answer> {
  const elicitationId = crypto.randomUUID();
  const params = { ...request.params, elicitationId };
  const answer = await send(asking, { ...request, params }, options);
  (asking.link.elicitations ??= new Set()).add(elicitationId);
  return { ...answer, elicitationId };
}

function isPage({ method, params = {} }: InputRequest): boolean {
  return method === METHODS.elicit && 'mode' in params && params.mode === 'url';
}

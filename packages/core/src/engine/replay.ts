import { readTrace } from '../context/trace.js';
import { METHODS } from '../protocol/protocol.js';
import { admit } from './admission.js';
import type { BackgroundDelivery } from './asking/delivery.js';
import type { Journal } from './asking/round-trip-state.js';
import type { ConnectionParts } from './connection.js';
import { NOWHERE } from './connection-state.js';
import { Exchange } from './exchange.js';
import type { RecordedCall, Replay } from './extension.js';
import type { TaskAbort } from './observers.js';

/** Runs a recorded tool call in the background; see `ExtensionHost.replay`. */
export function replay(
  parts: ConnectionParts,
  { version, params, neededScopes: _scopes, traceparent, ...requestInfo }: RecordedCall,
  journal: Journal | undefined,
  background: BackgroundDelivery,
): Replay {
  const method = METHODS.callTool;
  const handler = parts.methods.get(method);
  const connectionState = parts.stateless;
  const { revision, client } = admit(connectionState, version, method, params);
  let settle: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (settle = resolve));
  const owner = {
    ended: ({ call }: Exchange) => {
      parts.slots.give(call);
      settle();
    },
  };
  const bodyBytes = JSON.stringify(params).length;
  const request = { connectionState, revision, client, id: 0, method, params, transport: 'memory' as const };
  const exchange = new Exchange(
    parts,
    { ...request, requestInfo: { ...requestInfo, bodyBytes }, submittedIn: readTrace({ traceparent }) },
    NOWHERE,
    owner,
  );
  parts.slots.take(exchange.call);
  if (handler) exchange.runInBackground(handler, journal, background);
  return {
    callId: exchange.call.callId,
    abort: (reason) => exchange.call.abort(reason),
    settleEffects: () => exchange.call.rounds.settleEffects(),
    ended,
  };
}

/** Reports to observers that a run of a recorded call was aborted; see `ExtensionHost.reportAbort`. */
export function reportAbort(parts: ConnectionParts, call: RecordedCall, abort: TaskAbort): void {
  const { observers, stateless } = parts;
  if (!observers.areActive) return;
  const { version, params, neededScopes: _scopes, traceparent, ...requestInfo } = call;
  const method = METHODS.callTool;
  const submittedIn = readTrace({ traceparent });
  const seen = { method, params, requestInfo, transport: 'memory' as const, submittedIn };
  try {
    observers.taskAborted({ ...seen, ...admit(stateless, version, method, params) }, abort);
  } catch {
    // This process does not serve the revision of the call.
    observers.taskAborted(seen, abort);
  }
}

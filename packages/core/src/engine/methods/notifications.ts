import { isPromise, observed } from '../../protocol/maybe-promise.js';
import { NOTIFICATIONS } from '../../protocol/protocol.js';
import type { Exchange } from '../exchange.js';
import type { ConnectionState } from '../connection-state.js';
import type { Events } from '../subscriptions/subscriptions.js';

type Params = Readonly<Record<string, unknown>>;

/** The objects that a client's notification may change. */
interface Notified {
  readonly connectionState: ConnectionState;
  readonly inFlight: Iterable<Exchange>;
  readonly events: Events;
}

/** Handles one kind of notification. */
type NotificationHandler = (notified: Notified, params: Params) => void;

/**
 * The handlers of the client's notifications, by name. Other notifications are ignored, because JSON-RPC does not allow
 * an answer to a notification.
 */
export const CLIENT_NOTIFICATIONS: ReadonlyMap<string, NotificationHandler> = new Map([
  [NOTIFICATIONS.initialized, initialized],
  [NOTIFICATIONS.cancelled, cancelled],
  [NOTIFICATIONS.progress, progress],
  [NOTIFICATIONS.rootsListChanged, rootsListChanged],
] as const);

function initialized({ connectionState }: Notified): void {
  const { session } = connectionState;
  if (!session || session.ready) return;
  const changed = connectionState.change(
    (state) => ({ ...state, ready: true }),
    () => session.becomeReady(),
  );
  // A notification has no answer. The transport knows that the change could not be stored, and reports it in its own
  // way.
  if (isPromise(changed)) void observed(changed);
}

function cancelled({ inFlight }: Notified, { requestId, reason }: Params): void {
  for (const exchange of inFlight) {
    if (exchange.call.id === requestId)
      exchange.cancel(typeof reason === 'string' ? reason : 'The client cancelled');
  }
}

/** Gives the client more time to answer, because it reports progress on a question. */
function progress({ connectionState }: Notified, { progressToken }: Params): void {
  if (connectionState.hasAsked) connectionState.pending.extend(progressToken);
}

function rootsListChanged({ connectionState, events }: Notified): void {
  if (connectionState.session) events.emit('rootsChanged', connectionState.session);
}

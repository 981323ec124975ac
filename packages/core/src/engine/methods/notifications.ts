import { NOTIFICATIONS } from '../../protocol/protocol.js';
import type { Exchange } from '../exchange.js';
import type { Link } from '../link.js';
import type { Events } from '../subscriptions/subscriptions.js';

type Params = Readonly<Record<string, unknown>>;

/** What a notification of the client may touch. */
interface Notified {
  readonly link: Link;
  readonly inFlight: Iterable<Exchange>;
  readonly events: Events;
}

/** Takes one kind of notification. */
type NotificationHandler = (notified: Notified, params: Params) => void;

/** What the client's notifications do, by name. Others are ignored, as JSON-RPC leaves no way to answer them. */
export const CLIENT_NOTIFICATIONS: ReadonlyMap<string, NotificationHandler> = new Map([
  [NOTIFICATIONS.initialized, initialized],
  [NOTIFICATIONS.cancelled, cancelled],
  [NOTIFICATIONS.progress, progress],
  [NOTIFICATIONS.rootsListChanged, rootsListChanged],
] as const);

function initialized({ link }: Notified): void {
  if (link.session) link.session.ready = true;
}

function cancelled({ inFlight }: Notified, { requestId, reason }: Params): void {
  for (const exchange of inFlight) {
    if (exchange.call.id === requestId)
      exchange.cancel(typeof reason === 'string' ? reason : 'The client cancelled');
  }
}

/** The client works on a question: it gets more time. */
function progress({ link }: Notified, { progressToken }: Params): void {
  if (link.hasAsked) link.pending.extend(progressToken);
}

function rootsListChanged({ link, events }: Notified): void {
  if (link.session) events.emit('rootsChanged', link.session);
}

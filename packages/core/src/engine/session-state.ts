import type { SessionState } from '../backend/backend.js';
import type { Implementation } from '../protocol/descriptors.js';
import { isObject } from '../protocol/json.js';
import { isLogLevel, type LogLevel } from '../protocol/logging.js';
import type { ClientCapabilities } from '../protocol/protocol.js';
import { type Revision, sessionRevision } from './revisions/index.js';

/** A session in its stored form. */
export interface WrittenSession {
  readonly revision: Revision;
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly ready: boolean;
  readonly logLevel: LogLevel | undefined;
  readonly roots: readonly unknown[] | undefined;
  /** Whether the session's client uses the older dialect of messages. */
  readonly dialect: boolean;
  readonly subscriptions: ReadonlySet<string>;
}

/** Serialises a session as JSON that any process can read. Unset members are left out to save memory. */
export function writeSession(session: WrittenSession): SessionState {
  const { revision, info, capabilities, ready, logLevel, roots, dialect, subscriptions } = session;
  return {
    protocolVersion: revision.version,
    capabilities,
    ...(info && { info }),
    ...(ready && { ready }),
    ...(logLevel && { logLevel }),
    ...(roots && { roots }),
    ...(dialect && { dialect }),
    ...(subscriptions.size > 0 && { subscriptions: [...subscriptions] }),
  };
}

/**
 * Reads a stored session. The session may come from another process, even one with another version of Sigil.
 *
 * @returns the session; `undefined` if this process supports no sessions of the stored protocol version.
 */
export function readSession(state: SessionState): WrittenSession | undefined {
  const { protocolVersion, info, capabilities, ready, logLevel, roots, dialect } = state;
  const revision = sessionRevision(protocolVersion);
  if (!revision) return undefined;
  return {
    revision,
    info: readImplementation(info),
    capabilities: isObject(capabilities) ? capabilities : {},
    ready: ready === true,
    logLevel: isLogLevel(logLevel) ? logLevel : undefined,
    roots: Array.isArray(roots) ? roots : undefined,
    dialect: dialect === true,
    subscriptions: subscriptionsOf(state),
  };
}

/** Adds a URI to the subscriptions of a serialised session. */
export function withSubscription(state: SessionState, uri: string): SessionState {
  return { ...state, subscriptions: [...subscriptionsOf(state).add(uri)] };
}

/** Removes a URI from the subscriptions of a serialised session. */
export function withoutSubscription(state: SessionState, uri: string): SessionState {
  const uris = subscriptionsOf(state);
  uris.delete(uri);
  return { ...state, subscriptions: [...uris] };
}

function subscriptionsOf({ subscriptions }: SessionState): Set<string> {
  const uris: readonly unknown[] = Array.isArray(subscriptions) ? subscriptions : [];
  return new Set(uris.filter((uri) => typeof uri === 'string'));
}

/** Reads a client's name and version; `undefined` if they are invalid. */
export function readImplementation(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string') return undefined;
  return value as typeof value & Implementation;
}

import type { ClientView } from '../context/call.js';
import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import { META } from '../protocol/meta.js';
import { METHODS } from '../protocol/methods.js';
import { clientOfEnvelope } from './client-state.js';
import type { Link } from './link.js';
import { claimedRevision, negotiate, type Revision, STATELESS_VERSIONS } from './revisions/index.js';

/** By which rules a request is served, and for whom. */
export interface Admission {
  readonly revision: Revision;
  readonly client: ClientView;
}

const UNKNOWN_CLIENT: ClientView = { capabilities: {}, protocolVersion: '' };

/**
 * Decides by which revision a request is served. The version it carries in `_meta` decides; a request that carries
 * none belongs to the session of its connection (2026-07-28, basic/versioning).
 *
 * @param claim the version that the message claims; `undefined` when it belongs to the session.
 * @param added the methods of extensions, which stateless revisions admit.
 * @throws ProtocolError when the request cannot be served by any revision.
 */
export function admit(
  link: Link,
  claim: unknown,
  method: string,
  params: Readonly<Record<string, unknown>>,
  added: ReadonlyMap<string, unknown>,
): Admission {
  const admission =
    claim === undefined ? admitToSession(link, method) : admitByClaim(claim, params['_meta'] as object);
  const { revision } = admission;
  if (!revision.requests.has(method) && !(revision.stateless && added.has(method))) {
    throw new ProtocolError(ERROR_CODES.methodNotFound, `Method not found: ${method}`);
  }
  return admission;
}

function admitByClaim(claimed: unknown, meta: object): Admission {
  const revision = claimedRevision(claimed);
  if (!revision) {
    throw new ProtocolError(ERROR_CODES.unsupportedProtocolVersion, 'Unsupported protocol version', {
      supported: STATELESS_VERSIONS,
      // An object could be too deep to be written down again.
      requested: typeof claimed === 'object' ? null : claimed,
    });
  }
  return { revision, client: clientOfEnvelope(meta as Record<string, unknown>, revision.version) };
}

function admitToSession({ session }: Link, method: string): Admission {
  if (session) return { revision: session.revision, client: session };
  if (method === METHODS.initialize || method === METHODS.ping) {
    return { revision: negotiate(undefined), client: UNKNOWN_CLIENT };
  }
  const envelope = `"_meta" with "${META.protocolVersion}" and "${META.clientCapabilities}"`;
  const message = `Send ${envelope} with every request, or open a session with initialize`;
  throw new ProtocolError(ERROR_CODES.invalidParams, message, { supported: STATELESS_VERSIONS });
}

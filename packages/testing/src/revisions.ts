import type { ProtocolVersion } from '@sigil/core';
import { LATEST_LEGACY_VERSION } from '@sigil/core/transport';

/** Whether a revision is another or came after it. Revisions are named by date, so their names sort. */
export function isSince(revision: ProtocolVersion, other: ProtocolVersion): boolean {
  return revision >= other;
}

/** Whether requests of a revision carry all they need, without a session. */
export function isStateless(revision: ProtocolVersion): boolean {
  return revision > LATEST_LEGACY_VERSION;
}

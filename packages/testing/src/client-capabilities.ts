import type { ClientCapabilities, ProtocolVersion } from '@sigil/core';
import type { Answers } from './connect-options.js';
import { isSince } from './revisions.js';

/** What a client with these answers can do, in the words of a revision. */
export function capabilitiesOf(answers: Answers, revision: ProtocolVersion): ClientCapabilities {
  return {
    ...(answers.onElicit && isSince(revision, '2025-06-18') ? { elicitation: elicitation(revision) } : {}),
    ...(answers.onSample ? { sampling: isSince(revision, '2025-11-25') ? { tools: {} } : {} } : {}),
    ...(answers.roots ? { roots: {} } : {}),
  };
}

/** Before there were modes, the bare capability meant forms. */
function elicitation(revision: ProtocolVersion): NonNullable<ClientCapabilities['elicitation']> {
  return isSince(revision, '2025-11-25') ? { form: {}, url: {} } : {};
}

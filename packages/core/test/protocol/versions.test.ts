import { describe, expect, test } from '@jest/globals';
import { claimedRevision, negotiate } from '../../src/engine/revisions/index.js';
import { PROTOCOL_VERSIONS, REVISION_FEATURES } from '../../src/protocol/protocol.js';

describe('what revisions can do', () => {
  test.each(PROTOCOL_VERSIONS)('is for %s what the engine does', (version) => {
    const { sessions, elicitation, samplingTools } = REVISION_FEATURES[version];
    const revision = sessions ? negotiate(version) : claimedRevision(version);
    expect(revision).toMatchObject({ version, stateless: !sessions, elicitation, samplingTools });
  });
});

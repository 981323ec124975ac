import { describe, expect, test } from '@jest/globals';
import { claimedRevision, negotiate } from '../../src/engine/revisions/index.js';
import { PROTOCOL_VERSIONS, REVISION_FEATURES } from '../../src/protocol/protocol.js';

describe('what revisions can do', () => {
  test.each(PROTOCOL_VERSIONS)('is for %s what the table says', (version) => {
    const features = REVISION_FEATURES[version];
    const revision = features.sessions ? negotiate(version) : claimedRevision(version);
    expect(revision).toMatchObject({ version, ...features });
  });
});

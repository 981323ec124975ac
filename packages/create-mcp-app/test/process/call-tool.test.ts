import { expect, test } from '@jest/globals';
import { LATEST_VERSION, META } from '@sigil/core/transport';
import { ENVELOPE, REVISION } from '../../src/process/call-tool.js';

test('a tool is called in the newest revision, as servers know it', () => {
  expect(REVISION).toBe(LATEST_VERSION);
  expect(ENVELOPE).toEqual({
    version: META.protocolVersion,
    client: META.clientInfo,
    capabilities: META.clientCapabilities,
  });
});

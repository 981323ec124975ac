import { describe, test } from '@jest/globals';
import { contractOf } from './contract.js';
import { BUILT_HOSTS, HOSTS } from './hosts.js';

for (const host of [...HOSTS, ...BUILT_HOSTS])
  if (host.missing === undefined) contractOf(host);
  else
    describe(`an app in ${host.name}`, () => {
      test.skip(`is not tried: ${host.missing}`, () => undefined);
    });

import { expect, test } from '@jest/globals';
import { describePage } from './guide-page.js';

describePage('authorization-servers', ({ print }) => {
  test('shows a preset for each', async () => {
    expect((await print('issuers.ts')).trim().split('\n')).toHaveLength(8);
  });
});

import { expect, test } from '@jest/globals';
import { provide, InjectionToken } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { describePage } from './guide-page.js';

describePage('testing', () => {
  test('says truly that an override of what nobody injects changes nothing', async () => {
    const UNKNOWN = new InjectionToken<number>('UNKNOWN');
    await using server = await testApp({ override: [provide(UNKNOWN, 7)] });
    expect(await server.get(UNKNOWN)).toBe(7);
    expect(server.logs).toEqual([]);
  });
});

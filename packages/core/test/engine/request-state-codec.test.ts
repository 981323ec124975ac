import { describe, expect, test } from '@jest/globals';
import { RequestStateCodec } from '../../src/engine/asking/request-state-codec.js';

const [OLD, NEW] = ['o'.repeat(32), new Uint8Array(40).fill(7)];
const VALUE = { consent: true };

describe('what is sealed', () => {
  test('is read by processes of the same app that share a key, current or not', async () => {
    const text = await new RequestStateCodec([OLD], 'shop').seal('rounds', VALUE);
    expect(await new RequestStateCodec([OLD], 'shop').open('rounds', text)).toEqual(VALUE);
    expect(await new RequestStateCodec([NEW, OLD], 'shop').open('rounds', text)).toEqual(VALUE);
    expect(await new RequestStateCodec([NEW], 'shop').open('rounds', text)).toBeUndefined();
  });

  test('is not read by another app with the same keys', async () => {
    const text = await new RequestStateCodec([OLD], 'shop').seal('rounds', VALUE);
    for (const app of ['shop2', 'Shop', ''])
      expect(await new RequestStateCodec([OLD], app).open('rounds', text)).toBeUndefined();
  });

  test.each([[[OLD]], [[]]])('is not read for another purpose, with the keys %j', async (keys) => {
    const codec = new RequestStateCodec(keys, 'shop');
    const text = await codec.seal('rounds', VALUE);
    expect(await codec.open('rounds', text)).toEqual(VALUE);
    expect(await codec.open('sessions', text)).toBeUndefined();
  });

  test.each(['A', 'AA', 'AAA', '='])('is not read with %s at its end', async (more) => {
    const codec = new RequestStateCodec([OLD], 'shop');
    // Texts of every length that base64url has.
    for (const value of ['', 'a', 'aa'])
      expect(await codec.open('rounds', (await codec.seal('rounds', value)) + more)).toBeUndefined();
  });

  test('is not read where app and purpose only look alike together', async () => {
    const text = await new RequestStateCodec([OLD], 'shop","a').seal('b', VALUE);
    expect(await new RequestStateCodec([OLD], 'shop').open('a","b', text)).toBeUndefined();
  });
});

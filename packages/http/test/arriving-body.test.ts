import { describe, expect, test } from '@jest/globals';
import { consoleLogger } from '@sigil/core';
import { Quota } from '@sigil/core/extension';
import { Deadlines } from '@sigil/core/internal';
import { ArrivingBody } from '../src/http-exchange.js';

const KIB = 1024;

function limits(total: number, perClient = total) {
  const overload = { refuse: () => undefined };
  return {
    endpoint: { logger: consoleLogger },
    maxBodyBytes: 100 * KIB,
    times: new Deadlines(1000),
    budget: new Quota(total, perClient),
    overload,
  };
}

describe('a body that arrives in pieces', () => {
  test('is one copy of them, however small they are', () => {
    const bounds = limits(1000 * KIB);
    const body = new ArrivingBody(bounds, undefined);
    const slab = Buffer.alloc(64 * KIB, 'x');
    for (let at = 0; at < 50 * KIB; at += 20) expect(body.append(slab.subarray(at, at + 20))).toBeUndefined();
    // What it takes is what it has, and not what its pieces were cut from.
    expect(bounds.budget.taken).toBeLessThanOrEqual(100 * KIB);
    const bytes = body.end();
    expect([bytes.byteLength, Buffer.from(bytes).equals(slab.subarray(0, 50 * KIB))]).toEqual([
      50 * KIB,
      true,
    ]);
    expect(bounds.budget.taken).toBe(0);
  });

  test('is refused when it comes in bits: each is work, however small it is', () => {
    const body = new ArrivingBody(limits(1000 * KIB), undefined);
    const bit = new Uint8Array(1);
    for (let at = 0; at < 1000; at++) expect(body.append(bit)).toBeUndefined();
    expect(body.append(bit)).toBe('too many pieces');
    const slow = new ArrivingBody(limits(1000 * KIB), undefined);
    for (let at = 0; at < 5000; at++) expect(slow.append(new Uint8Array(16))).toBeUndefined();
  });

  test('is refused beyond its bound, and where there is no room for it', () => {
    const bounds = limits(60 * KIB, 40 * KIB);
    const piece = new Uint8Array(50 * KIB);
    const [ann, again, bob] = ['ann', 'ann', 'bob'].map((key) => new ArrivingBody(bounds, key));
    expect([ann, again, bob].map((body) => body?.append(piece))).toEqual([undefined, 'no room', 'no room']);
    expect(ann?.append(new Uint8Array(51 * KIB))).toBe('too long');
    ann?.drop();
    ann?.drop();
    expect(bounds.budget.taken).toBe(0);
    expect(bob?.append(piece)).toBeUndefined();
  });
});

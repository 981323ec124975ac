import { isIPv6 } from 'node:net';
import type { HttpExchange } from './http-exchange.js';

/** Whom sessions count for. */
export interface Client {
  /** A principal, or else a network address; the same for all of whom neither is known. */
  readonly key: string;
  /** Whether it may stand for many: then no more than all sessions together are bounded. */
  readonly many: boolean;
}

const V4_MAPPED = '::ffff:';

/** Finds out whom a session counts for that a request opens. */
export function clientOf({ principal, address }: HttpExchange): Client {
  if (principal) return { key: `principal ${principal.id}`, many: false };
  if (address === undefined) return { key: '', many: true };
  const plain = address.toLowerCase().startsWith(V4_MAPPED) ? address.slice(V4_MAPPED.length) : address;
  return { key: `address ${networkOf(plain)}`, many: plain.startsWith('127.') || plain === '::1' };
}

/** The address, or the first 64 bits of one that is IPv6: a network has them all to itself. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':');
}

import type { HttpExchange } from './http-exchange.js';

const V4_MAPPED = '::ffff:';

/**
 * Whom quotas count a request for: a principal, or else a network address, which for IPv6 is a network of 64 bits.
 *
 * @returns `undefined` where the address may stand for many, as that of a proxy on this machine does, or is not known.
 */
export function quotaKeyOf({
  principal,
  address,
}: Pick<HttpExchange, 'principal' | 'address'>): string | undefined {
  if (principal) return `principal ${principal.id}`;
  if (address === undefined) return undefined;
  const plain = address.toLowerCase().startsWith(V4_MAPPED) ? address.slice(V4_MAPPED.length) : address;
  if (plain.startsWith('127.') || plain === '::1') return undefined;
  return `address ${plain.includes(':') ? networkOf(plain) : plain}`;
}

/** The first 64 bits of an IPv6 address: a network has them all to itself. */
function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':');
}

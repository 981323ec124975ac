import { BlockList, isIP, isIPv4 } from 'node:net';
import { canonicalAddress } from '@sigil/core/internal';

/** The parsed networks for each list in the options. Each list is parsed once. */
const NETWORKS = new WeakMap<readonly string[], BlockList>();

/**
 * Returns the address of a client behind proxies. Each proxy appends the address of its caller to `X-Forwarded-For`.
 * Only the entries that trusted proxies have appended are used.
 *
 * @param trusted addresses and networks of proxies.
 * @param peer the address of the connection.
 * @param forwarded the header `X-Forwarded-For` of the request.
 */
export function clientBehind(
  trusted: readonly string[],
  peer: string,
  forwarded: string | undefined,
): string {
  const networks = NETWORKS.get(trusted) ?? networksOf(trusted);
  NETWORKS.set(trusted, networks);
  const named = forwarded?.split(',') ?? [];
  let client = plain(peer) ?? peer;
  while (networks.check(client, isIPv4(client) ? 'ipv4' : 'ipv6')) {
    const next = plain(named.pop() ?? '');
    if (next === undefined) return client;
    client = next;
  }
  return client;
}

function networksOf(trusted: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const network of trusted) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(bits), family);
  }
  return networks;
}

/** Returns the canonical form of an address without port and brackets; `undefined` for any other text. */
function plain(text: string): string | undefined {
  const [, address = ''] = /^\[(.*)\](?::\d+)?$/.exec(text.trim()) ??
    /^([\d.]+):\d+$/.exec(text.trim()) ?? [text, text.trim()];
  return isIP(address) === 0 ? undefined : canonicalAddress(address);
}

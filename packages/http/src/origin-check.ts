import { LOOPBACK_HOSTS, type ResolvedOptions } from './options.js';

/** Whether `Host` names a host this server answers for, against DNS rebinding. */
export function isAllowedHost(host: string | undefined, { allowedHosts }: ResolvedOptions): boolean {
  if (allowedHosts === '*') return true;
  return host !== undefined && allowedHosts.includes(hostnameOf(host));
}

/**
 * Whether a page of this origin may call (2026-07-28, basic/transports/streamable-http, "Security & Endpoint"). Programs
 * send no origin and pass; a page needs to be on the list, or of this machine when the server answers for it alone.
 */
export function isAllowedOrigin(origin: string | undefined, options: ResolvedOptions): boolean {
  if (origin === undefined || options.allowedOrigins.includes(origin)) return true;
  const match = /^https?:\/\/([^/]+)$/i.exec(origin);
  if (!match?.[1]) return false;
  const hostname = hostnameOf(match[1]);
  const { allowedHosts } = options;
  return LOOPBACK_HOSTS.includes(hostname) && allowedHosts !== '*' && allowedHosts.includes(hostname);
}

function hostnameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

/** A target as clients send it to a proxy (RFC 9112, section 3.2.2): a scheme, a host, and what is asked for there. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i;

/** The host that a request target names; `undefined` for one that names none. */
export function authorityOf(target: string): string | undefined {
  return target.startsWith('/') ? undefined : ABSOLUTE.exec(target)?.[1];
}

/** Path and query of a request target, whichever form it has. */
export function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = ABSOLUTE.exec(target)?.[2];
  if (path === undefined) return target;
  return path.startsWith('/') ? path : `/${path}`;
}

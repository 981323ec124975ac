import { isObject } from './json.js';

/** The authenticated caller of a request. */
export interface Principal {
  /** The id of the principal: stable, unique, and 1 to 1,024 characters long. */
  readonly id: string;
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Refuses an invalid principal.
 *
 * @returns the principal.
 * @throws TypeError if the id is missing or longer than 1,024 characters, the scopes are not a list of strings, or the
 * claims are not an object.
 * @example
 * ```ts
 * const principal = requirePrincipal(await users.byToken(token));
 * ```
 */
export function requirePrincipal(principal: Principal): Principal {
  // Sessions and state belong to an id: callers without an id would share them.
  const { id, scopes = [], claims } = principal ?? {};
  if (typeof id !== 'string' || id === '')
    throw new TypeError(
      'the id of a principal must be a string that is not empty; return undefined to refuse the request',
    );
  // Stores keep the id with everything that belongs to the principal.
  if (id.length > MAX_ID_LENGTH)
    throw new TypeError(
      `the id of a principal must have at most ${MAX_ID_LENGTH} characters, not ${id.length}`,
    );
  // Every part of a string would count as a scope.
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string'))
    throw new TypeError("the scopes of a principal must be a list of strings, such as ['notes:write']");
  if (claims !== undefined && !isObject(claims))
    throw new TypeError(
      "the claims of a principal must be an object with one member for each claim, such as { email: 'ada@example.com' }",
    );
  return principal;
}

const MAX_ID_LENGTH = 1_024;

/**
 * Whether a value is a scope (RFC 6749, section 3.3) of at most 256 characters, so that it can appear in a
 * `WWW-Authenticate` header.
 *
 * @param value anything, such as an option.
 * @example
 * ```ts
 * if (!scopes.every(isScope)) throw new TypeError('These are no scopes');
 * ```
 */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(value);
}

/**
 * Maximum number of characters for the scopes in a challenge: clients such as Node's accept at most 16 KiB of headers
 * in total.
 */
const MAX_CHALLENGED = 4096;

/**
 * Returns the scopes for a challenge header, separated by spaces. If the text would have more than 4,096 characters,
 * the last scopes are left out.
 *
 * @param scopes all scopes that a request needs.
 * @example
 * ```ts
 * const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${challengedScopes(scopes)}"` };
 * ```
 */
export function challengedScopes(scopes: readonly string[]): string {
  const all = scopes.join(' ');
  if (all.length <= MAX_CHALLENGED) return all;
  const end = all.lastIndexOf(' ', MAX_CHALLENGED);
  return end < 0 ? '' : all.slice(0, end);
}

/**
 * Whether a principal lacks at least one of these scopes.
 *
 * @param principal the caller; an anonymous caller has no scopes.
 * @example
 * ```ts
 * if (lacksScopes(call.principal, needed)) throw new InsufficientScopeError(needed);
 * ```
 */
export function lacksScopes(principal: Principal | undefined, scopes: readonly string[]): boolean {
  const held = principal?.scopes ?? [];
  return !scopes.every((scope) => held.includes(scope));
}

/** A canonical IPv6 address that maps an IPv4 address in its last two groups. */
const V4_MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * Returns the canonical spelling of a network address: an IPv6 address has many spellings, and an IPv4 address can be
 * written as an IPv6 address.
 *
 * @returns the canonical address. If the text is not an address, returns the text unchanged.
 * @example
 * ```ts
 * const address = canonicalAddress('2001:0DB8:0::1'); // 2001:db8::1
 * ```
 */
export function canonicalAddress(address: string): string {
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  const url = `http://[${withoutZone}]`;
  if (!URL.canParse(url)) return address;
  const canonical = new URL(url).hostname.slice(1, -1);
  const mapped = V4_MAPPED.exec(canonical);
  if (!mapped) return canonical;
  return mapped
    .slice(1)
    .map((group) => parseInt(group, 16))
    .map((bytes) => `${bytes >> 8}.${bytes & 255}`)
    .join('.');
}

/**
 * Returns a text that identifies a client when limits are counted, such as `address 192.0.2.7`. The text contains the
 * network address of the client. For IPv6, it contains only the first 64 bits, because one client usually has a whole
 * 64-bit network. All spellings of an address give the same text.
 *
 * @param address an address such as `192.0.2.7` or `2001:db8::1`.
 * @example
 * ```ts
 * const key = addressKey('2001:db8::1'); // address 2001:db8:0:0
 * ```
 */
export function addressKey(address: string): string {
  const canonical = canonicalAddress(address);
  return `address ${canonical.includes(':') ? networkOf(canonical) : canonical}`;
}

function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array.from({ length: zeros }, () => '0'), ...last].slice(0, 4).join(':');
}

/** Information that the transport has about a request, in addition to the message. */
export interface RequestInfo {
  /** The HTTP headers, with names in lower case; absent on other transports. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /**
   * The names of the credential headers that handlers may read: any of `authorization`, `proxy-authorization` and
   * `cookie`. Credential headers that are not listed are hidden from handlers.
   */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** The network address of the request, such as `192.0.2.7`; absent if the transport does not know it. */
  readonly address?: string | undefined;
  /**
   * A text that identifies the client when limits are counted. All requests of a client have the same text, and every
   * other client has a different text. If the text is absent, the principal identifies the client. Without a principal,
   * the connection identifies the client, but only if no other client uses the connection.
   */
  readonly quotaKey?: string | undefined;
  /**
   * The size of the message's text in bytes; absent if the transport does not know it. If it is absent or at most 1
   * KiB, the message does not count towards `limits.maxInFlightBytes`.
   */
  readonly bodyBytes?: number | undefined;
  /** The authenticated principal, when the transport has verified one. */
  readonly principal?: Principal | undefined;
  /** The HTTP server's request object, an `IncomingMessage` or a `Request`; absent on other transports. */
  readonly source?: unknown;
  /** Called with the id that the call has in the log, so that the transport can repeat the id in the response. */
  named?(id: string): void;
}

/**
 * The names of headers that contain credentials. Anyone with these credentials could act as the client.
 *
 * @example
 * ```ts
 * const known = CREDENTIAL_HEADERS.some((name) => name === given);
 * ```
 */
export const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization', 'cookie'] as const;

import type { App } from '@sigil/core';
import {
  CREDENTIAL_HEADERS,
  isClass,
  isObject,
  isPromise,
  OptionChecks,
  type OptionTable,
} from '@sigil/core/internal';
import type { Endpoint } from '@sigil/core/transport';
import type { Authorization, Authorizer } from './authentication/authorization.js';
import {
  type HttpLimits,
  type HttpOptions,
  LOOPBACK_HOSTS,
  type ResolvedOptions,
  type SessionOptions,
  type StreamOptions,
} from './options.js';

const LIMITS: OptionTable<HttpLimits> = {
  maxBodyBytes: true,
  maxTotalBodyBytes: true,
  requestTimeoutMs: true,
  maxBufferedBytes: true,
  maxTotalBufferedBytes: true,
  authenticateTimeoutMs: true,
};
const SESSIONS: OptionTable<SessionOptions> = {
  idleMs: true,
  max: true,
  maxPerClient: true,
  store: true,
  sealedMs: true,
};
const STREAMS: OptionTable<StreamOptions> = {
  keepAliveMs: true,
  afterMs: true,
  retryMs: true,
  store: true,
};
const OPTIONS: OptionTable<HttpOptions> = {
  allowedHosts: true,
  allowedOrigins: true,
  limits: true,
  sessions: true,
  streams: true,
  sse: true,
  authenticate: true,
  authorization: true,
  reauthenticateMs: true,
  exposeHeaders: true,
  trustedProxies: true,
};

/**
 * Returns the endpoint of an app.
 *
 * @throws DefinitionError if the argument is not an app, for example if it is a promise of an app.
 */
export function endpointOf(of: string, app: App): Endpoint {
  const checks = new OptionChecks(of);
  if (app?.endpoint === undefined)
    checks.refuse(
      'app',
      'it must be the result that createApp() resolves to',
      `write ${of}(await createApp({ … }))`,
    );
  checks.throwIfAny();
  return app.endpoint;
}

/**
 * Checks the path of an endpoint, for packages that mount apps into a framework.
 *
 * @param of the name of the function with this option, for error messages.
 * @param path the path from the root of a server or router; `/` is the root itself.
 * @returns the path.
 * @throws DefinitionError if no request can have this path.
 * @example
 * ```ts
 * const path = endpointPath('myHandler', '/api/mcp');
 * ```
 */
export function endpointPath(of: string, path: string): string {
  const checks = new OptionChecks(of);
  if (typeof path !== 'string' || !/^\/(?:[\w.~!$&'()+,;=@-]|%[\da-f]{2}|\/(?!\/|$))*$/i.test(path))
    checks.refuse(
      'path',
      `${JSON.stringify(path)} is not a valid endpoint path`,
      'begin it with a slash, but do not end it with one; leave out parameters, spaces and the query, as in /api/mcp',
    );
  checks.throwIfAny();
  return path;
}

/** Returns the options of a mounted app with all defaults filled in. @throws DefinitionError if an option is wrong. */
export function mountOptions(of: string, options: HttpOptions): ResolvedOptions {
  OptionChecks.requireObject(of, options);
  const checks = new OptionChecks(of);
  const resolved = resolveOptions(options, checks, {}, {});
  checks.throwIfAny();
  return resolved;
}

/**
 * Returns the options that `http()` and mounted handlers have in common, with all defaults filled in.
 *
 * @param checks receives the problems in the options.
 */
export function resolveOptions(
  options: HttpOptions,
  checks: OptionChecks,
  more: object,
  moreLimits: object,
): ResolvedOptions {
  checks.known(options, { ...OPTIONS, ...more });
  const limits: HttpLimits = checks.group('limits', options.limits, { ...LIMITS, ...moreLimits });
  const { store: sessionStore, ...sessions }: SessionOptions = checks.group(
    'sessions',
    options.sessions,
    SESSIONS,
  );
  const { store, ...streams }: StreamOptions = checks.group('streams', options.streams, STREAMS);
  checks.integers(limits, 'limits.');
  checks.integers(sessions, 'sessions.');
  checks.integers(streams, 'streams.');
  checks.booleans(options, 'sse');
  checks.integer('reauthenticateMs', options.reauthenticateMs);
  if (store !== false) checks.methods('streams.store', store, 'append', 'end', 'after', 'forget');
  if (sessionStore !== false)
    checks.methods('sessions.store', sessionStore, 'create', 'use', 'replace', 'delete', 'list');
  if (options.authenticate !== undefined && typeof options.authenticate !== 'function')
    checks.refuse('authenticate', 'it must be a function that returns a principal');
  const { authorization } = options;
  if (authorization !== undefined && (typeof authorization !== 'function' || isClass(authorization)))
    checks.refuse('authorization', 'it must be a result of oauth() from @sigil/auth', AUTHORIZATION_FIX);
  if (authorization && options.authenticate)
    checks.refuse('authenticate', 'authorization decides already', 'use one of them');
  checkHosts(options, checks);
  checkExposed(options.exposeHeaders, checks);
  checkProxies(options.trustedProxies, checks);
  const { maxBodyBytes = MIB, maxBufferedBytes = 16 * MIB } = limits;
  const {
    maxTotalBodyBytes = Math.max(64 * MIB, 4 * maxBodyBytes),
    maxTotalBufferedBytes = Math.max(256 * MIB, 4 * maxBufferedBytes),
  } = limits;
  checkTotal(checks, { maxTotalBodyBytes, maxBodyBytes });
  checkTotal(checks, { maxTotalBufferedBytes, maxBufferedBytes });
  return {
    maxBodyBytes,
    maxTotalBodyBytes,
    requestTimeoutMs: limits.requestTimeoutMs ?? 30_000,
    allowedHosts: lowerCase(options.allowedHosts ?? LOOPBACK_HOSTS),
    allowedOrigins: options.allowedOrigins,
    sessionIdleMs: sessions.idleMs ?? 30 * 60_000,
    sessionSealedMs: sessions.sealedMs,
    maxSessions: sessions.max ?? 10_000,
    maxSessionsPerClient: sessions.maxPerClient ?? 1_000,
    keepAliveMs: streams.keepAliveMs ?? 15_000,
    maxBufferedBytes,
    maxTotalBufferedBytes,
    eventStore: store,
    sessionStore,
    retryMs: streams.retryMs ?? 1_000,
    streamAfterMs: streams.afterMs ?? 1_000,
    sse: options.sse ?? false,
    authenticate: options.authenticate,
    authorization: authorization && checkedAuthorization(authorization, checks.of),
    authenticateTimeoutMs: limits.authenticateTimeoutMs ?? 10_000,
    reauthenticateMs: options.reauthenticateMs ?? 60_000,
    exposeHeaders: options.exposeHeaders,
    trustedProxies: options.trustedProxies?.length ? options.trustedProxies : undefined,
  };
}

/** The methods that an authorizer must have. */
const AUTHORIZER = ['authorize', 'insufficientScope', 'document'] satisfies (keyof Authorizer)[];

/** Checks the authorizer when an app begins to serve. Without one, every request would be accepted. */
function checkedAuthorization(authorization: Authorization, of: string): Authorization {
  return (host) => {
    const made = authorization(host);
    if (isObject(made) && AUTHORIZER.every((method) => typeof made[method] === 'function')) return made;
    const checks = new OptionChecks(of);
    const given = isPromise<unknown>(made)
      ? 'a promise'
      : made === null
        ? 'null'
        : `a value of type ${typeof made}`;
    checks.refuse(
      'authorization',
      `it returned ${given}, but must synchronously return an authorizer: an object with the methods ${AUTHORIZER.join(', ')}`,
      AUTHORIZATION_FIX,
    );
    checks.throwIfAny();
    return made;
  };
}

const AUTHORIZATION_FIX =
  'use the result of oauth() from @sigil/auth; to determine the caller with your own function, set the option authenticate instead';

const MIB = 1024 * 1024;

/** Checks that a total is not less than the limit for one. */
function checkTotal(checks: OptionChecks, totalAndOne: Readonly<Record<string, number>>): void {
  const [[total, most] = ['', 0], [one, least] = ['', 0]] = Object.entries(totalAndOne);
  if (most < least) checks.refuse(`limits.${total}`, `it must be at least ${one} (${least}), not ${most}`);
}

const EXAMPLES = { allowedHosts: 'mcp.example', allowedOrigins: 'https://app.example' };

/**
 * Validates the options for hosts and origins. A pattern that no request can match would refuse all requests.
 * A string instead of a list would match substrings.
 */
function checkHosts(options: HttpOptions, checks: OptionChecks): void {
  const lists = { allowedHosts: isHost, allowedOrigins: isOrigin };
  const wanted = {
    allowedHosts: 'a name without scheme and port',
    allowedOrigins: 'an origin as browsers send it',
  };
  for (const key of ['allowedHosts', 'allowedOrigins'] as const) {
    const given: unknown = options[key];
    if (given === undefined || (given === '*' && key === 'allowedHosts')) continue;
    if (given === '*') checks.refuse(key, "it must list the origins of pages: '*' would allow every page");
    else if (!isTexts(given))
      checks.refuse(key, `it must be a list of strings, such as ['${EXAMPLES[key]}']`);
    else if (given.length === 0 && key === 'allowedHosts')
      checks.refuse(
        key,
        'an empty list refuses every request',
        'list the accepted hosts, or leave the option out',
      );
    else {
      const wrong = given.find((one) => !lists[key](one));
      if (wrong !== undefined)
        checks.refuse(key, `'${wrong}' must be ${wanted[key]}, such as ${EXAMPLES[key]}`);
    }
  }
}

function checkExposed(given: unknown, checks: OptionChecks): void {
  if (given === undefined) return;
  if (!isTexts(given) || !given.every((name) => CREDENTIAL_HEADERS.some((known) => known === name)))
    checks.refuse(
      'exposeHeaders',
      `it must be a list with any of ${CREDENTIAL_HEADERS.join(', ')}; other headers are always available`,
    );
}

function checkProxies(given: unknown, checks: OptionChecks): void {
  if (given === undefined || (isTexts(given) && given.every(isNetwork))) return;
  checks.refuse(
    'trustedProxies',
    "it must be a list of addresses and networks, such as ['10.0.0.5', '10.1.0.0/16', '::1']",
  );
}

/** Whether a text is a network address, alone or with a prefix length. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (address.includes(':')) return URL.canParse(`http://[${address}]`) && Number(bits) <= 128;
  return (
    URL.canParse(`http://${address}`) &&
    new URL(`http://${address}`).hostname === address &&
    Number(bits) <= 32
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isHost(text: string): boolean {
  return /^(?:[^\s/:[\]*]+|\[[^\s/\]]+\])$/.test(text);
}

/**
 * Whether a browser could send the origin. URLs of schemes other than http and https, such as an extension's, have no
 * origin.
 */
function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*]+$/.test(text);
  return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}

/** Converts hosts to lower case. Invalid values were refused before, and are never used. */
function lowerCase(hosts: readonly string[] | '*'): readonly string[] | '*' {
  return Array.isArray(hosts) ? hosts.map((host) => String(host).toLowerCase()) : '*';
}

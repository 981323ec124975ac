import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWK,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import type { Logger } from '@sigil/core';
import { isObject } from '@sigil/core/internal';
import { askProvider, isSafeUrl, ProviderError, TokenError } from './provider.js';

/**
 * An authorization server whose tokens are accepted. Members that you omit are read from the server's
 * metadata.
 */
export interface IssuerOptions {
  /** The identifier of the authorization server, exactly as in the `iss` of its tokens. */
  readonly issuer: string;
  /** The URL of the server's key set (JWKS). */
  readonly jwksUri?: string;
  /**
   * The key set (JWKS) of the authorization server, if this MCP server cannot fetch it. When the keys change, set the
   * new key set, and restart this MCP server.
   */
  readonly jwks?: JSONWebKeySet;
  /** The URL of the server's introspection endpoint (RFC 7662). */
  readonly introspectionEndpoint?: string;
  /** The URL of the server's token endpoint, for `upstreamToken`. */
  readonly tokenEndpoint?: string;
}

/** The part of an authorization server's metadata (RFC 8414) that is used here. */
interface IssuerMetadata {
  readonly jwksUri: string | undefined;
  readonly introspectionEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  /** The whole metadata, as JSON. */
  readonly text: string;
}

/** Milliseconds after which keys are fetched again; the old keys are used meanwhile. */
const KEYS_FRESH_MS = 10 * 60_000;
/** How long keys are used that could not be fetched again, in milliseconds. */
const KEYS_STALE_MS = 60 * 60_000;
/** Minimum time between two fetches for the same unknown key, in milliseconds. */
const COOLDOWN_MS = 30_000;
/**
 * The limit on fetches for all unknown keys together: `burst` fetches at once, and one more every `everyMs`
 * milliseconds.
 */
const SEARCHES = { burst: 5, everyMs: 10_000 };
/** How long fetched metadata is used, in milliseconds. */
const METADATA_MS = 60 * 60_000;

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** An authorization server. Its endpoints and keys are fetched at first use. */
export class Issuer {
  readonly id: string;
  readonly #given: FindKey | undefined;
  #metadata: { readonly found: IssuerMetadata; readonly at: number } | undefined;
  #discovering: Promise<IssuerMetadata> | undefined;
  #keys: { readonly find: FindKey; readonly at: number } | undefined;
  #fetching: Promise<void> | undefined;
  /** The time of the last fetch of the issuer's keys for each unknown key id (`kid`). */
  readonly #soughtAt = new Map<string, number>();
  /** When the next fetch for an unknown key is allowed by `SEARCHES`, in milliseconds since 1970. */
  #searchDueAt = -Infinity;
  /** When reading the metadata last failed. */
  #unreadAt = -Infinity;
  /** When keys were last fetched, and whether that failed. */
  #asked = { at: -Infinity, hasFailed: false };

  constructor(
    private readonly options: IssuerOptions,
    private readonly logger: Logger,
  ) {
    this.id = options.issuer;
    this.#given = options.jwks && createLocalJWKSet(options.jwks);
  }

  /**
   * Returns the URL of one of the authorization server's endpoints.
   *
   * @throws ProviderError when the metadata of the authorization server cannot be read, or does not contain the URL.
   */
  async endpoint(name: 'introspectionEndpoint' | 'tokenEndpoint' | 'jwksUri'): Promise<string> {
    const url = this.options[name] ?? (await this.#discover())[name];
    if (url === undefined)
      throw new ProviderError(
        `${this.id} does not have ${name} in its metadata; set it in issuers: [{ issuer, ${name} }]`,
      );
    return url;
  }

  /**
   * Returns the metadata of the authorization server, as JSON.
   *
   * @throws ProviderError when the metadata cannot be read, and for 5 seconds after such a failure. In these seconds,
   *   no request is sent to the authorization server, because any client can cause such requests.
   */
  async metadata(): Promise<string> {
    if (Date.now() - this.#unreadAt < RETRY_MS)
      throw new ProviderError(
        `the metadata of ${this.id} could not be read; this server tries again after a few seconds`,
      );
    try {
      const { text } = await this.#discover();
      return text;
    } catch (error) {
      this.#unreadAt = Date.now();
      throw error;
    }
  }

  /**
   * Finds the key that a token is signed with.
   *
   * @throws JWKSNoMatchingKey if the issuer does not have the key of the token; `jwt()` converts this error to a
   *   `TokenError`.
   * @throws ProviderError if new keys are needed and cannot be fetched now. New keys are needed if the known keys do
   *   not include the key of the token, or are over an hour old.
   */
  readonly key = async (header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<FindKey> => {
    if (this.#given) return this.#find(header, token);
    const age = Date.now() - (this.#keys?.at ?? -Infinity);
    if (age > KEYS_STALE_MS) await this.#refresh();
    // The known keys may be used for a while: the result of this fetch is for the next token.
    else if (age > KEYS_FRESH_MS) this.#refresh().catch(() => undefined);
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#search(header.kid);
      return this.#find(header, token);
    }
  };

  async #find(header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<FindKey> {
    const find = this.#given ?? this.#keys?.find;
    if (!find) throw new ProviderError(`the keys of ${this.id} are not known`);
    try {
      return await find(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error;
      throw new ProviderError(`a key of ${this.id} cannot be used`, { cause: error });
    }
  }

  /**
   * Fetches keys because a key is unknown. Clients can name unknown keys at will, so fetches are limited, but
   * a new key is still found.
   */
  async #search(kid = ''): Promise<void> {
    if (this.#fetching) return this.#fetching;
    if (this.#asked.hasFailed) return this.#refresh();
    const now = Date.now();
    for (const [sought, at] of this.#soughtAt) if (now - at >= COOLDOWN_MS) this.#soughtAt.delete(sought);
    const dueAt = Math.max(this.#searchDueAt, now - (SEARCHES.burst - 1) * SEARCHES.everyMs);
    if (this.#soughtAt.has(kid)) return;
    // The key may be new: 401 would make the client log in again and again.
    if (dueAt > now) throw new ProviderError(`the keys of ${this.id} were requested too often`);
    this.#soughtAt.set(kid, now);
    this.#searchDueAt = dueAt + SEARCHES.everyMs;
    return this.#refresh();
  }

  /** Fetches keys, once for all callers that wait for them, and not too often after failures. */
  #refresh(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    if (this.#asked.hasFailed && Date.now() - this.#asked.at < RETRY_MS)
      return Promise.reject(new ProviderError(`the keys of ${this.id} cannot be fetched`));
    this.#asked = { at: Date.now(), hasFailed: false };
    return (this.#fetching = this.#fetchKeys()
      .catch((error: unknown) => {
        this.#asked = { at: Date.now(), hasFailed: true };
        // The keys may have moved to another URL.
        this.#metadata = undefined;
        this.logger.error({ err: error, issuer: this.id }, 'the keys of an issuer could not be fetched');
        throw error;
      })
      .finally(() => (this.#fetching = undefined)));
  }

  async #fetchKeys(): Promise<void> {
    const url = await this.endpoint('jwksUri');
    const { status, body } = await askProvider(url);
    const keys: unknown = body?.['keys'];
    // An invalid key is left out, and does not affect the others (RFC 7517, section 5).
    const usable = Array.isArray(keys) ? keys.filter(isKey) : [];
    if (status !== 200 || !Array.isArray(keys) || (usable.length === 0 && keys.length > 0))
      throw new ProviderError(
        `${url} answered with status ${status}, and without a usable list of keys (JWKS)`,
      );
    this.#keys = { find: createLocalJWKSet({ keys: usable }), at: Date.now() };
  }

  #discover(): Promise<IssuerMetadata> {
    const known = this.#metadata;
    if (known && Date.now() - known.at < METADATA_MS) return Promise.resolve(known.found);
    return (this.#discovering ??= this.#readMetadata().finally(() => (this.#discovering = undefined)));
  }

  /** Tries the URLs in the specification in order (basic/authorization/authorization-server-discovery). */
  async #readMetadata(): Promise<IssuerMetadata> {
    const refusals: string[] = [];
    for (const url of metadataUrls(this.id)) {
      const { status, body } = await askProvider(url);
      if (status !== 200 || !body) {
        refusals.push(`${url} answered ${status}`);
        continue;
      }
      // A different name belongs to another server (RFC 8414, section 3.3).
      if (body['issuer'] !== this.id) {
        refusals.push(`${url} is of the issuer ${JSON.stringify(body['issuer'])}`);
        continue;
      }
      const found = {
        jwksUri: safe(body['jwks_uri']),
        introspectionEndpoint: safe(body['introspection_endpoint']),
        tokenEndpoint: safe(body['token_endpoint']),
        text: JSON.stringify(body),
      };
      this.#metadata = { found, at: Date.now() };
      return found;
    }
    throw new ProviderError(`${this.id} has no usable metadata: ${refusals.join('; ')}`);
  }
}

/** How long no request is sent to an issuer after a failure, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Whether a value is a set of keys (JWKS; RFC 7517, sections 4 and 5). The keys themselves are validated when they are
 * used.
 */
export function isKeySet(value: unknown): value is JSONWebKeySet {
  const keys: unknown = isObject(value) ? value['keys'] : undefined;
  return Array.isArray(keys) && keys.every(isKey);
}

function isKey(value: unknown): value is JWK {
  return isObject(value) && typeof value['kty'] === 'string';
}

function safe(url: unknown): string | undefined {
  return isSafeUrl(url) ? url : undefined;
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}

/** The authorization servers whose tokens are accepted. Each can be found by its `iss` identifier. */
export class Issuers {
  readonly #issuers: ReadonlyMap<string, Issuer>;

  constructor(options: readonly IssuerOptions[], logger: Logger) {
    this.#issuers = new Map(options.map((one) => [one.issuer, new Issuer(one, logger)]));
  }

  /** The `iss` identifier of the only issuer; `undefined` if there are several issuers. */
  get only(): string | undefined {
    const [id] = this.#issuers.keys();
    return this.#issuers.size === 1 ? id : undefined;
  }

  /** The first issuer in the options. */
  get first(): Issuer {
    const [first] = this.#issuers.values();
    if (!first) throw new TypeError('The list of issuers is empty');
    return first;
  }

  /** Returns the issuer with the identifier `id`. @throws TokenError if tokens of this issuer are not accepted. */
  get(id: unknown): Issuer {
    const issuer = typeof id === 'string' ? this.#issuers.get(id) : undefined;
    if (!issuer)
      throw new TokenError('This server does not accept the issuer of the token', {
        issuer: typeof id === 'string' ? id : 'none',
        accepted: [...this.#issuers.keys()].join(' '),
      });
    return issuer;
  }
}

import {
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';
import { checkSeconds } from './check-seconds.js';
import type { Issuer } from './issuer.js';
import { ProviderError, TokenError } from './provider.js';
import {
  audienceTest,
  CLOCK_TOLERANCE_SECONDS,
  type CheckToken,
  notATime,
  notForUs,
  type TokenCheck,
  type TokenCheckParts,
} from './tokens.js';

/** Options of `jwt()`, which checks signed tokens (RFC 7519). */
export interface JwtOptions {
  /** The algorithms that the issuers sign tokens with. `none` and algorithms with a shared secret are refused. */
  readonly algorithms: readonly string[];
  /**
   * The accepted values of `aud` in tokens for this server.
   *
   * @default the `resource` of `oauth()`
   */
  readonly audience?: string | readonly string[];
  /**
   * The name of the claim that contains the audience, for issuers that do not use `aud`.
   *
   * @default 'aud'
   */
  readonly audienceClaim?: string;
  /**
   * The required `typ` of tokens, such as `at+jwt` (RFC 9068).
   *
   * @default undefined: any type, except types of JWTs that are not access tokens, such as `dpop+jwt`
   */
  readonly typ?: string;
  /**
   * How many seconds the clocks of this server and of an issuer can differ; at most 300.
   *
   * @default 30
   */
  readonly clockToleranceSeconds?: number;
}

/** Signatures that only the issuer can make (RFC 7518, section 3.1; RFC 8037). */
const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const JWT_OPTIONS: OptionTable<JwtOptions> = {
  algorithms: true,
  audience: true,
  audienceClaim: true,
  typ: true,
  clockToleranceSeconds: true,
};

/**
 * Checks tokens that are signed JWTs: their signature, algorithm, issuer, audience and expiry. The issuer's keys are
 * fetched for the first token, and again when they change.
 *
 * @param options the accepted algorithms, and the audience of this server's tokens.
 * @returns a value for `oauth({ tokens })`.
 * @example
 * ```ts
 * oauth({
 *   resource: 'https://mcp.example.com/mcp',
 *   issuers: ['https://id.example.com'],
 *   tokens: jwt({ algorithms: ['RS256', 'ES256'] }),
 * });
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling
 */
export function jwt(options: JwtOptions): TokenCheck {
  OptionChecks.requireObject('jwt', options);
  return {
    check: (checks) => checkOptions(options, checks),
    create: (parts) => verifierOf(options, parts),
  };
}

function verifierOf(options: JwtOptions, { resource, issuers }: TokenCheckParts): CheckToken {
  const {
    algorithms,
    audience = resource,
    audienceClaim = 'aud',
    typ,
    clockToleranceSeconds = CLOCK_TOLERANCE_SECONDS,
  } = options;
  const isForUs = audienceTest(audience);
  const rules = {
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'iss'],
    ...(typ === undefined ? {} : { typ }),
  };
  return async (token) => {
    const issuer = issuers.get(claimsIn(token).iss);
    const payload = await verified(token, issuer, rules);
    if (!isForUs(payload[audienceClaim])) throw notForUs(payload[audienceClaim]);
    // The token would never expire if the number were too large for a time.
    for (const name of ['exp', 'nbf', 'iat'])
      if (payload[name] !== undefined && !Number.isFinite(payload[name])) throw notATime(name);
    return payload;
  };
}

/** Reads the claims of a token without any check. */
function claimsIn(token: string): JWTPayload {
  try {
    return decodeJwt(token);
  } catch {
    throw new TokenError('The token is not a JWT', {
      hint: 'some issuers create opaque tokens if the token request does not contain the identifier of the API: configure the client to send it, or use introspection()',
    });
  }
}

async function verified(token: string, { id, key }: Issuer, rules: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return await verifiedByAny(token, key, { ...rules, issuer: id });
  } catch (error) {
    if (error instanceof ProviderError || error instanceof TokenError) throw error;
    if (error instanceof errors.JWTExpired) throw new TokenError('The token has expired');
    if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'invalid')
      throw notATime(error.claim);
    if (error instanceof errors.JOSEError)
      throw new TokenError(DESCRIPTIONS[error.code] ?? 'The token could not be verified');
    // The token is correct, so the key is wrong, for example too short.
    throw new ProviderError(`a key of ${id} cannot be used`, { cause: error });
  }
}

/** Verifies a token with each key that it may refer to, because keys may have the same name, or no name. */
async function verifiedByAny(
  token: string,
  key: Issuer['key'],
  rules: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return payloadOf(await jwtVerify(token, key, rules), rules);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const one of error) {
      try {
        return payloadOf(await jwtVerify(token, one, rules), rules);
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * Types of JWTs with another purpose (RFC 8725, section 3.11), such as `dpop+jwt`. Many access tokens have no type, or
 * the type `JWT`.
 */
const OTHER_TYPES = /^(?!(?:application\/)?at\+jwt$).*\+jwt$|^jwe$/i;

/**
 * Returns the claims of a verified token. @throws TokenError if the JWT has another purpose, and no type is
 * required.
 */
function payloadOf({ payload, protectedHeader }: JWTVerifyResult, { typ }: JWTVerifyOptions): JWTPayload {
  if (typ === undefined && OTHER_TYPES.test(String(protectedHeader.typ)))
    throw new TokenError('The token is not an access token');
  return payload;
}

/** The descriptions of invalid tokens. They never repeat the content of a token. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ERR_JWKS_NO_MATCHING_KEY: 'The token is signed with a key that its issuer does not have',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the token is wrong',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The algorithm of the token is not accepted here',
};

function checkOptions(options: JwtOptions, checks: OptionChecks): void {
  checks.known(options, JWT_OPTIONS, 'tokens: jwt.');
  const { algorithms, audience, audienceClaim, typ, clockToleranceSeconds } = options;
  const given: unknown = algorithms;
  if (!Array.isArray(given) || given.length === 0)
    checks.refuse(
      'tokens: jwt.algorithms',
      'it must be a list of algorithms',
      "write ['RS256', 'ES256'], as your issuer signs",
    );
  else
    for (const algorithm of given.filter((one) => !ALGORITHMS.some((known) => known === one)))
      checks.refuse(
        'tokens: jwt.algorithms',
        `${JSON.stringify(algorithm)} is not a supported asymmetric algorithm`,
        `use any of ${ALGORITHMS.join(', ')}`,
      );
  const audiences: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  if (
    audience !== undefined &&
    (audiences.length === 0 || !audiences.every((one) => typeof one === 'string' && one !== ''))
  )
    checks.refuse(
      'tokens: jwt.audience',
      'it must be a string or a list of strings',
      'write the value that aud has in the tokens for this server',
    );
  for (const [name, value] of Object.entries({ audienceClaim, typ }))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      checks.refuse(`tokens: jwt.${name}`, 'it must be a string that is not empty');
  checkSeconds('tokens: jwt.clockToleranceSeconds', clockToleranceSeconds, 300, checks);
}

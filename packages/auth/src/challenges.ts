import { challengedScopes } from '@sigil/core/internal';
import type { Refusal } from '@sigil/http/authentication';

/** The ways to send a token (RFC 6750, RFC 9449). */
export type Scheme = 'Bearer' | 'DPoP';

/** The parameters that all `WWW-Authenticate` challenges of a server share. */
export interface ChallengeParts {
  /** The URL of the resource metadata. */
  readonly metadataUrl: string;
  readonly initialScopes: readonly string[];
  /** The algorithms that proofs of possession can be signed with; empty if the server accepts no proofs. */
  readonly proofAlgorithms: readonly string[];
}

/** The `error` of a challenge. */
type ChallengeError =
  'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce';

/** Seconds after which a client may try again if its token could not be checked. */
const RETRY_SECONDS = '5';

/**
 * Creates the responses to requests that a resource server refuses. Each `WWW-Authenticate` challenge is for one
 * scheme. Some clients search the whole challenge for the name of a parameter, even inside the description. So every
 * value is in quotes, and the description comes last.
 */
export class Challenges {
  constructor(private readonly parts: ChallengeParts) {}

  /**
   * Creates the refusal of a request without a token. The challenge contains no `error`, because a missing token is not
   * an error (RFC 6750, section 3.1).
   *
   * @param scopes the scopes that the request needs.
   */
  noToken(scheme: Scheme, scopes: readonly string[] = this.parts.initialScopes): Refusal {
    return this.#refusal(401, 'This server needs an access token', scheme, {
      scope: challengedScopes(scopes),
    });
  }

  /** Creates the refusal of an invalid token. */
  invalidToken(scheme: Scheme, description: string): Refusal {
    const scope = challengedScopes(this.parts.initialScopes);
    return this.#refusal(401, description, scheme, { error: 'invalid_token', scope }, description);
  }

  /**
   * Creates the refusal of an invalid proof of possession.
   *
   * @param nonce the nonce that the client must use in its next proof; `undefined` if the nonce was not the problem.
   */
  invalidProof(description: string, nonce?: string): Refusal {
    const error = nonce === undefined ? 'invalid_dpop_proof' : 'use_dpop_nonce';
    const refusal = this.#refusal(401, description, 'DPoP', { error }, description);
    return nonce === undefined
      ? refusal
      : { ...refusal, headers: { ...refusal.headers, 'DPoP-Nonce': nonce } };
  }

  /** Creates the refusal of a request whose principal lacks scopes. @param scopes all scopes that the request needs. */
  insufficientScope(scheme: Scheme, scopes: readonly string[]): Refusal {
    const description = 'The token lacks a scope';
    const fields = { error: 'insufficient_scope', scope: challengedScopes(scopes) } as const;
    return this.#refusal(403, description, scheme, fields, description);
  }

  /** Creates the refusal of a request whose token cannot be read from the header. */
  malformed(scheme: Scheme, description: string): Refusal {
    return this.#refusal(400, description, scheme, { error: 'invalid_request' }, description);
  }

  /**
   * Creates the refusal of a request whose token cannot be checked now. It has no challenge, because a challenge would
   * make clients log in again and again.
   */
  unavailable(): Refusal {
    return {
      status: 503,
      message: 'The token cannot be checked now',
      headers: { 'Retry-After': RETRY_SECONDS },
    };
  }

  #refusal(
    status: Refusal['status'],
    message: string,
    scheme: Scheme,
    { error, scope = '' }: { readonly error?: ChallengeError; readonly scope?: string },
    description?: string,
  ): Refusal {
    const { metadataUrl, proofAlgorithms } = this.parts;
    const fields = {
      error,
      ...(error === 'insufficient_scope' ? { scope } : {}),
      ...(scheme === 'DPoP' ? { algs: proofAlgorithms.join(' ') } : {}),
      resource_metadata: metadataUrl,
      ...(error !== 'insufficient_scope' && scope !== '' ? { scope } : {}),
      error_description: description === undefined ? undefined : plain(description),
    };
    const written = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}="${value}"`,
    );
    return { status, message, headers: { 'WWW-Authenticate': `${scheme} ${written.join(', ')}` } };
  }
}

/** Removes characters that would end a quoted text or start another field. */
function plain(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x3c\x3e-\x5b\x5d-\x7e]/g, ' ').slice(0, 200);
}

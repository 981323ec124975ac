import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, EmbeddedJWK, type JWK } from 'jose';
import type { StateStore } from '@sigil/core/backend';
import { isObject } from '@sigil/core/internal';
import { sha256 } from './sha256.js';

/** The algorithms that proofs of possession can be signed with. */
export const PROOF_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'RS256',
  'EdDSA',
  'Ed25519',
];

/** How far the time of a proof may lie in the past or in the future, in seconds. */
const WINDOW_SECONDS = 300;

/**
 * How far the clocks of processes may differ, in milliseconds. A process whose clock is behind accepts a proof for
 * longer.
 */
const CLOCK_SKEW_MS = 10_000;

const NEEDS_NONCE = 'The proof needs the nonce of this server';

/** Thrown if a proof of possession is invalid. */
export class ProofError extends Error {
  override readonly name = 'ProofError';

  /**
   * @param nonce the nonce that the client must use in its next proof; `undefined` if the nonce was not the problem.
   */
  constructor(
    message: string,
    readonly nonce?: string,
  ) {
    super(message);
  }
}

/** The request that a proof must match. */
export interface ProvenRequest {
  readonly proof: string | readonly string[] | undefined;
  readonly method: string;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly boundTo: string;
  /**
   * The text that identifies the client in quotas. Use the same text for all proofs of a client: otherwise, a client
   * could get a larger quota by signing proofs with many keys.
   */
  readonly client: string;
}

/** Issues nonces to clients. Every process of the app recognises the nonces of the other processes. */
export interface Nonces {
  current(): Promise<string>;
  /** Creates a new nonce. */
  renewed(): Promise<string>;
  /**
   * Returns when a nonce was created (`madeAt`), and until when it is accepted (`takenUntil`), in milliseconds since
   * 1970.
   *
   * @returns `undefined` for a nonce that is not accepted.
   */
  read(nonce: string): Promise<{ readonly madeAt: number; readonly takenUntil: number } | undefined>;
}

/** Checks that the sender of a token has the key that the token is bound to (RFC 9449, section 4.3). */
export class ProofCheck {
  readonly #resource: string;

  /** @param needsNonce whether every proof must contain a nonce from this server. */
  constructor(
    resource: string,
    private readonly states: StateStore,
    private readonly nonces: Nonces,
    private readonly needsNonce: boolean,
  ) {
    this.#resource = normalized(resource);
  }

  /**
   * Checks a proof of possession, and records that it has been used.
   *
   * @throws ProofError when the proof is invalid or was used before.
   */
  async verify({ proof, method, token, boundTo, client }: ProvenRequest): Promise<void> {
    if (typeof proof !== 'string' || proof.includes(','))
      throw new ProofError('The request must have exactly one DPoP header, with one proof');
    const jwk = keyIn(proof);
    const payload = await verified(proof);
    const { jti, htm, htu, iat, ath, nonce } = payload;
    if (typeof jti !== 'string' || jti === '') throw new ProofError('The proof has no jti');
    if (htm !== method) throw new ProofError('The proof is for another method');
    if (typeof htu !== 'string' || !URL.canParse(htu) || normalized(htu) !== this.#resource)
      throw new ProofError('The proof is for another address');
    if (typeof iat !== 'number' || Math.abs(Date.now() / 1000 - iat) > WINDOW_SECONDS)
      throw new ProofError('The proof is too old, or its time is in the future');
    if (ath !== sha256(token)) throw new ProofError('The proof is for another token');
    const known = typeof nonce === 'string' ? await this.nonces.read(nonce) : undefined;
    if (this.needsNonce && !known) throw new ProofError(NEEDS_NONCE, await this.nonces.current());
    const thumbprint = await calculateJwkThumbprint(jwk);
    // This is checked before the proof is stored, so that a client cannot fill the store with proofs for the tokens of
    // others.
    if (thumbprint !== boundTo)
      throw new ProofError('The key of the proof is not the key that the token is bound to');
    const id = sha256(`${thumbprint} ${jti}`);
    // The store need not keep a proof for longer than it could be accepted.
    const now = Date.now();
    const expiry = Math.min(
      (iat + WINDOW_SECONDS) * 1000,
      this.needsNonce && known ? known.takenUntil : Infinity,
    );
    const forMs = Math.max(0, expiry - now) + CLOCK_SKEW_MS;
    // No proof is older than its nonce. The client counts in whole seconds.
    const madeAt = Math.max((iat + 1) * 1000, known?.madeAt ?? 0);
    const use = await this.states.use(`dpop ${id}`, forMs, client, 'proofs', Math.max(0, now - madeAt));
    // The proof may have been used before the store lost its data: only a proof with a newer nonce is accepted.
    if (use === 'forgotten') throw new ProofError(NEEDS_NONCE, await this.nonces.renewed());
    if (use !== 'first') throw new ProofError('The proof was used before');
  }
}

/** Members that only private and shared keys have (RFC 7518, section 6; RFC 8037). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Returns the public key of a proof. @throws ProofError if the text is not a proof, or if it contains a
 * private key.
 */
function keyIn(proof: string): JWK {
  try {
    const { typ, alg, jwk } = decodeProtectedHeader(proof);
    if (typ !== 'dpop+jwt') throw new ProofError('The proof must have the typ dpop+jwt');
    if (typeof alg !== 'string' || !PROOF_ALGORITHMS.includes(alg))
      throw new ProofError('This server does not accept the algorithm of the proof');
    if (typeof jwk !== 'object' || jwk === null) throw new ProofError('The proof has no public key');
    if (jwk.kty === 'oct' || PRIVATE_MEMBERS.some((member) => member in jwk))
      throw new ProofError('The proof must not contain a private key');
    return jwk;
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw new ProofError('The DPoP header is not a JWT');
  }
}

async function verified(proof: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { payload } = await compactVerify(proof, EmbeddedJWK, { algorithms: [...PROOF_ALGORITHMS] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (isObject(claims)) return claims;
  } catch {
    // The kind of error does not matter.
  }
  throw new ProofError('The proof could not be verified');
}

/** The URL with scheme and host in lower case, without query and fragment. */
function normalized(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

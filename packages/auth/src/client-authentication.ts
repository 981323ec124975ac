import { importJWK, type JWK, SignJWT } from 'jose';
import type { OptionChecks } from '@sigil/core/internal';

/** The credentials of this server at its authorization server. */
export interface ClientCredentials {
  readonly clientId: string;
  /** The client secret, sent as HTTP Basic (`client_secret_basic`). */
  readonly clientSecret?: string;
  /**
   * The private key that signs an assertion (`private_key_jwt`, RFC 7523), instead of a secret; a JWK with
   * `alg`.
   */
  readonly privateKey?: JWK;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_SECONDS = 60;

/** Adds the client's credentials to a request to an authorization server. @returns the headers to send. */
export async function authenticateClient(
  { clientId, clientSecret, privateKey }: ClientCredentials,
  issuer: string,
  form: URLSearchParams,
): Promise<Readonly<Record<string, string>>> {
  if (!privateKey) {
    const credentials = `${encoded(clientId)}:${encoded(clientSecret ?? '')}`;
    return { Authorization: `Basic ${btoa(credentials)}` };
  }
  const { alg = 'RS256', kid } = privateKey;
  const assertion = await new SignJWT({})
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${ASSERTION_SECONDS}s`)
    .sign(await importJWK(privateKey, alg));
  form.set('client_id', clientId);
  form.set('client_assertion_type', ASSERTION_TYPE);
  form.set('client_assertion', assertion);
  return {};
}

/** Encodes a text in the format of HTML forms (RFC 6749, section 2.3.1). */
function encoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Refuses credentials that no server would accept. */
export function checkCredentials(group: string, given: ClientCredentials, checks: OptionChecks): void {
  const { clientId, clientSecret, privateKey } = given;
  if (typeof clientId !== 'string' || clientId === '')
    checks.refuse(
      `${group}.clientId`,
      'it must be a text that is not empty',
      'give the id this server has at its issuer',
    );
  if (clientSecret !== undefined && (typeof clientSecret !== 'string' || clientSecret === ''))
    checks.refuse(
      `${group}.clientSecret`,
      'it must be a text that is not empty',
      'set the environment variable it comes from',
    );
  if ((clientSecret === undefined) === (privateKey === undefined))
    checks.refuse(
      `${group}`,
      'it needs clientSecret or privateKey, one of them',
      'give what your issuer knows of this server',
    );
}

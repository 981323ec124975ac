import { importJWK, type JWK, SignJWT } from 'jose';
import type { OptionChecks } from '@sigil/core/internal';

/** The credentials that this server uses at its authorization server. */
export interface ClientCredentials {
  readonly clientId: string;
  /** The client secret, sent as HTTP Basic (`client_secret_basic`). */
  readonly clientSecret?: string;
  /**
   * The private key that signs an assertion (`private_key_jwt`, RFC 7523), as a JWK with `alg`. Set either this key or
   * `clientSecret`.
   */
  readonly privateKey?: JWK;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_SECONDS = 60;

/**
 * Adds the credentials of this server to the form or the headers of a request to its authorization server.
 * @returns the headers to send.
 */
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

/**
 * Reports wrong credentials to `checks`: the client id must not be empty, and there must be either a secret or a key.
 */
export function checkCredentials(group: string, given: ClientCredentials, checks: OptionChecks): void {
  const { clientId, clientSecret, privateKey } = given;
  if (typeof clientId !== 'string' || clientId === '')
    checks.refuse(
      `${group}.clientId`,
      'it must be a string that is not empty',
      'use the client id that this server has at its issuer',
    );
  if (clientSecret !== undefined && (typeof clientSecret !== 'string' || clientSecret === ''))
    checks.refuse(
      `${group}.clientSecret`,
      'it must be a string that is not empty',
      'set the environment variable that contains the secret',
    );
  if ((clientSecret === undefined) === (privateKey === undefined))
    checks.refuse(
      `${group}`,
      'it needs either clientSecret or privateKey',
      'use the credentials that your issuer has for this server',
    );
}

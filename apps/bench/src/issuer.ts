import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An issuer of access tokens, in the process of the bench. */
export interface Issuer {
  readonly id: string;
  /** Signs a token for a server. The token is valid for one hour. */
  token(resource: string): Promise<string>;
  stop(): void;
}

/** Starts an issuer. */
export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256' }];
  const server = createServer((request, response) => {
    const body = request.url === '/jwks' ? { keys } : { issuer: id, jwks_uri: `${id}/jwks` };
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    id,
    token: (resource) =>
      new SignJWT({ scope: 'mcp' })
        .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
        .setIssuer(id)
        .setSubject('bench')
        .setAudience(resource)
        .setExpirationTime('1h')
        .sign(privateKey),
    stop: () => server.close(),
  };
}

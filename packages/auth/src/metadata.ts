import type { PublicDocument } from '@sigil/http/authentication';
import { sha256 } from './sha256.js';

/** The metadata of a resource (RFC 9728, section 2). */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[] | undefined;
  readonly resource_name?: string | undefined;
  readonly resource_documentation?: string | undefined;
  readonly resource_policy_uri?: string | undefined;
  readonly resource_tos_uri?: string | undefined;
  readonly dpop_signing_alg_values_supported?: readonly string[] | undefined;
  readonly dpop_bound_access_tokens_required?: boolean | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** The path where clients of revision 2025-03-26 look for the metadata of the authorization server (RFC 8414). */
const ISSUER_WELL_KNOWN = '/.well-known/oauth-authorization-server';
/** How long clients may cache the metadata, in seconds. */
const MAX_AGE = 3600;

/** The metadata documents of a protected resource, at their well-known paths. */
export class MetadataDocuments {
  /** The URL of the resource metadata. Challenges contain this URL. */
  readonly url: string;
  readonly #documents: ReadonlyMap<string, PublicDocument>;

  /**
   * @param issuerMetadata a function that returns the metadata of the authorization server; `undefined` if this server
   *   does not serve that metadata.
   */
  constructor(metadata: ResourceMetadata, issuerMetadata?: () => Promise<string>) {
    const { origin, pathname } = new URL(metadata.resource);
    const path = pathname === '/' ? '' : pathname;
    this.url = `${origin}${WELL_KNOWN}${path}`;
    const body = JSON.stringify({ ...metadata, bearer_methods_supported: ['header'] });
    const tag = sha256(body).slice(0, 22);
    const kept = { 'Cache-Control': `public, max-age=${MAX_AGE}` };
    const ofResource: PublicDocument = { body, headers: { ...kept, ETag: `"${tag}"` } };
    this.#documents = new Map<string, PublicDocument>([
      [`${WELL_KNOWN}${path}`, ofResource],
      [WELL_KNOWN, ofResource],
      ...(issuerMetadata ? [[ISSUER_WELL_KNOWN, { body: issuerMetadata, headers: kept }] as const] : []),
    ]);
  }

  /** Returns the document at a request target; the query of the target is ignored. */
  at(target: string): PublicDocument | undefined {
    const end = target.indexOf('?');
    return this.#documents.get(end < 0 ? target : target.slice(0, end));
  }
}

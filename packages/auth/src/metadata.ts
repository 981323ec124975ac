import type { PublicDocument } from '@sigil/http/authentication';
import { sha256 } from './sha256.js';

/** What the metadata of a resource says (RFC 9728, section 2). */
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
/** How long clients may keep it, in seconds. */
const MAX_AGE = 3600;

/** The metadata of a protected resource, where clients look for it. */
export class MetadataDocument {
  /** Where challenges say that it is. */
  readonly url: string;
  readonly #paths: readonly string[];
  readonly #document: PublicDocument;

  constructor(metadata: ResourceMetadata) {
    const { origin, pathname } = new URL(metadata.resource);
    const path = pathname === '/' ? '' : pathname;
    this.url = `${origin}${WELL_KNOWN}${path}`;
    this.#paths = [`${WELL_KNOWN}${path}`, WELL_KNOWN];
    const body = JSON.stringify({ ...metadata, bearer_methods_supported: ['header'] });
    const tag = sha256(body).slice(0, 22);
    this.#document = {
      body,
      headers: { 'Cache-Control': `public, max-age=${MAX_AGE}`, ETag: `"${tag}"` },
    };
  }

  /** Gives the document at a path, query or not. */
  at(target: string): PublicDocument | undefined {
    const end = target.indexOf('?');
    const path = end < 0 ? target : target.slice(0, end);
    return this.#paths.includes(path) ? this.#document : undefined;
  }
}

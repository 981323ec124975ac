import type { Presentation, ResourceDefinition } from '../metadata/definitions.js';
import { addHandler } from '../metadata/store.js';

/** What `@Resource` may be told; `groups` are validation groups of class-validator, as in `@Tool`. */
export type ResourceOptions = Presentation &
  Pick<ResourceDefinition, 'groups' | 'mimeType' | 'annotations' | 'size' | 'cache'>;

/**
 * Makes a method a resource, or a resource template when the URI has variables (RFC 6570).
 *
 * **Parameters**: one `@Param(name)` a variable, or one DTO class with a property a variable, and a `ResourceContext`
 * in any position.
 *
 * **Return value**: a string becomes text; a `Uint8Array`, `Buffer` or `ArrayBuffer` becomes a base64 blob; an object
 * with `contents` is the whole result, and may say how long it may be kept (`ttlMs`, `cacheScope`); contents made by `textContents()` and `blobContents()`, alone or in an array,
 * are used as they are; any other value becomes its JSON with MIME type `application/json`; `undefined` means that
 * there is no such resource.
 *
 * @param uri what clients read, such as `config://app` or `users://{id}/profile`.
 * Specification 2026-07-28, server/resources.
 */
export function Resource(uri: string, options: ResourceOptions = {}): MethodDecorator {
  return (prototype, method) => addHandler(prototype, method, { ...options, kind: 'resource', uri });
}

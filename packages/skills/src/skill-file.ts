import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { resourceContents, type ResourceContents } from '@sigil/core/content';

/** A file of a skill. Its contents are in memory, so that they always match the digest. */
export interface SkillFile {
  readonly segments: readonly string[];
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  /** The SHA-256 digest of the bytes: `sha256:`, followed by hexadecimal digits. */
  readonly digest: string;
  /** The length in bytes. */
  readonly size: number;
  /** The contents as text; `undefined` if the bytes are not UTF-8. */
  readonly text: string | undefined;
  readonly contents: ResourceContents;
}

/** Creates a file of a skill from its bytes. */
export function skillFile(segments: readonly string[], bytes: Uint8Array): SkillFile {
  const name = segments.at(-1) ?? '';
  const uri = skillUri(segments);
  const text = decode(bytes);
  const mimeType = mediaTypeOf(name, text !== undefined);
  return {
    segments,
    name,
    uri,
    mimeType,
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    size: bytes.length,
    text,
    contents:
      text === undefined
        ? resourceContents.blob(uri, bytes, mimeType)
        : resourceContents.text(uri, text, mimeType),
  };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark is kept: the text must match the digest of the bytes.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the URI of a file or folder of skills (SEP-2640, "Resource Mapping").
 *
 * @param segments the path relative to the folder of skills, as a list of names.
 */
export function skillUri(segments: readonly string[]): string {
  return `skill://${segments.map(encode).join('/')}`;
}

/** Encodes all characters that have a meaning in a URI or a URI template. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.md', 'text/markdown'],
  ['.txt', 'text/plain'],
  ['.html', 'text/html'],
  ['.css', 'text/css'],
  ['.csv', 'text/csv'],
  ['.xml', 'application/xml'],
  ['.json', 'application/json'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.ts', 'text/x-typescript'],
  ['.py', 'text/x-python'],
  ['.sh', 'application/x-sh'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.pdf', 'application/pdf'],
  ['.zip', 'application/zip'],
]);

/**
 * Returns the media type for a file name. For an unknown extension, it is `text/plain` or
 * `application/octet-stream`.
 */
function mediaTypeOf(name: string, isText: boolean): string {
  return (
    BY_EXTENSION.get(extname(name).toLowerCase()) ?? (isText ? 'text/plain' : 'application/octet-stream')
  );
}

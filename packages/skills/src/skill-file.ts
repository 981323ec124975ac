import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { resourceContents, type ResourceContents } from '@sigil/core/content';

/** A file of a skill, in memory: its digest and its contents always agree. */
export interface SkillFile {
  readonly segments: readonly string[];
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  /** SHA-256 of the bytes, as `sha256:` and hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** The text; `undefined` for bytes other than UTF-8. */
  readonly text: string | undefined;
  readonly contents: ResourceContents;
}

/** Makes a file of a skill of its bytes. */
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
    // A byte order mark stays: the text must match the digested bytes.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The URI of a file or folder of skills (SEP-2640, "Resource Mapping").
 *
 * @param segments the names from the folder of skills down.
 */
export function skillUri(segments: readonly string[]): string {
  return `skill://${segments.map(encode).join('/')}`;
}

/** Encodes all characters with a meaning in a URI or a URI template. */
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

/** The media type of a file, by the extension of its name; plain text or plain bytes when that says nothing. */
function mediaTypeOf(name: string, isText: boolean): string {
  return (
    BY_EXTENSION.get(extname(name).toLowerCase()) ?? (isText ? 'text/plain' : 'application/octet-stream')
  );
}

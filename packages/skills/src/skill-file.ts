import { createHash } from 'node:crypto';
import { blobContents, type ResourceContents, textContents } from '@sigil/core';
import { mediaTypeOf } from './media-type.js';
import { skillUri } from './skill-uri.js';

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
  /** `undefined` for bytes that are no UTF-8. */
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
    contents: text === undefined ? blobContents(uri, bytes, mimeType) : textContents(uri, text, mimeType),
  };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark stays: the text has to be the bytes that were digested.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

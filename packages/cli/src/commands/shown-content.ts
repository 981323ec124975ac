import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sigil/core/internal';
import { parseExactly } from '../exact-numbers.js';
import { UsageError } from '../failures.js';
import { isObject, type JsonObject, objectOf } from '../json.js';
import { makeFolder } from '../make-folder.js';
import { inLines, inOneLine, jsonText } from '../terminal.js';

/** Options for saving content other than text. */
export interface SaveOptions {
  /** The folder to save files in. If it is `undefined`, nothing is saved. */
  readonly out: string | undefined;
  /** The beginning of each file name. A number is appended to it. */
  readonly name: string;
}

/** Returns the result of a tool as lines for people. */
export function resultLines({ content, structuredContent }: JsonObject, save: SaveOptions): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  if (structuredContent === undefined) return blocks.flatMap((block) => blockLines(block, save));
  // A text block repeats its JSON for clients without support for structured content (server/tools, "Structured
  // Content").
  const others = blocks.filter((block) => !isObject(block) || !isSame(block['text'], structuredContent));
  return [...others.flatMap((block) => blockLines(block, save)), ...prettyLines(structuredContent)];
}

function isSame(text: unknown, value: unknown): boolean {
  return typeof text === 'string' && JSON.stringify(parseExactly(text)) === JSON.stringify(value);
}

/** Returns a value as indented JSON. */
function prettyLines(value: unknown): string[] {
  if (value === undefined) return ['(no content)'];
  return jsonText(value, 2).split('\n');
}

/** Returns one content block as lines. */
export function blockLines(block: unknown, save: SaveOptions): string[] {
  const { type, text, data, mimeType, uri, name, resource } = objectOf(block);
  switch (type) {
    case 'text':
      return [inLines(String(text))];
    case 'image':
    case 'audio':
      return [savedLine(String(data), mimeType, save)];
    case 'resource_link':
      return [
        inOneLine(`${String(name)}: ${String(uri)}${typeof mimeType === 'string' ? ` (${mimeType})` : ''}`),
      ];
    case 'resource':
      return contentsLines(resource, save);
    default:
      return prettyLines(block);
  }
}

/** Returns the contents of a resource as lines. */
export function contentsLines(contents: unknown, save: SaveOptions): string[] {
  const { text, blob, mimeType } = objectOf(contents);
  if (typeof text === 'string') return [inLines(text)];
  return typeof blob === 'string' ? [savedLine(blob, mimeType, save)] : prettyLines(contents);
}

/** Saves base64 data, if there is a folder for it. @returns a description of the data, with the path. */
function savedLine(base64: string, mimeType: unknown, { out, name }: SaveOptions): string {
  const bytes = Buffer.from(base64, 'base64');
  const type = typeof mimeType === 'string' ? inOneLine(mimeType) : 'application/octet-stream';
  const what = `${type}, ${bytes.length} bytes`;
  if (out === undefined) return `${what}: --out <folder> saves it`;
  const extension = /\/([\w-]+)/.exec(type)?.[1]?.replace('octet-stream', 'bin') ?? 'bin';
  const safeName = name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'result';
  try {
    makeFolder(out);
    for (let number = 1; ; number += 1) {
      const path = join(out, `${safeName}-${number}.${extension}`);
      if (writeNew(path, bytes)) return `${what}: ${path}`;
    }
  } catch (error) {
    throw new UsageError(`nothing can be saved in ${out}: ${messageOf(error)}`);
  }
}

/** Writes a file, unless it exists. */
function writeNew(path: string, bytes: Buffer): boolean {
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

import { ERROR_CODES, ProtocolError } from '@sigil/core';
import type { ExtensionCall, ExtensionHost, ExtensionMethod } from '@sigil/core/extension';
import { decodeCursor, encodeCursor } from '@sigil/core/internal';
import type { ServedFiles } from './served-files.js';
import { type SkillFile, skillUri } from './skill-file.js';
import type { Skill } from './skill.js';

/** Creates the methods `skills/list` and `skills/get` (SEP-2640, "Discovery"). */
export function skillMethods(
  skills: readonly Skill[],
  served: ServedFiles,
  { pageSize }: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  const byUri = new Map(skills.map((skill) => [skill.main.uri, skill]));

  /** Returns a skill as a caller sees it; `undefined` if its `SKILL.md` is hidden from the caller. */
  async function entryOf(call: ExtensionCall, skill: Skill): Promise<object | undefined> {
    if (!(await served.find(call, skill.main.uri))) return undefined;
    const resources = (await served.visible(call, skill.files)).map(({ uri, digest, size }) => ({
      uri,
      digest,
      size,
    }));
    return { uri: skill.main.uri, frontmatter: skill.frontmatter, resources };
  }

  return {
    'skills/list': {
      undeclared: true,
      async serve(call, { cursor }) {
        const { shown, next } = await pageOf(skills, cursor, pageSize, (skill) => entryOf(call, skill));
        return { skills: shown, ...next, ...served.cache };
      },
    },
    'skills/get': {
      undeclared: true,
      async serve(call, params) {
        const uri = readUri(params);
        const found = byUri.get(uri);
        const skill = found && (await entryOf(call, found));
        if (!skill) throw notServed('skill', uri);
        return { skill, ...served.cache };
      },
    },
  };
}

const DIRECTORY = 'inode/directory';

/** Creates the method `resources/directory/read` (SEP-2640, "Directory Listing"). */
export function directoryMethod(
  files: readonly SkillFile[],
  served: ServedFiles,
  { pageSize }: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  const directories = directoriesOf(files);

  async function isVisible(call: ExtensionCall, directory: Directory): Promise<boolean> {
    return (await served.visible(call, directory.files)).length > 0;
  }

  async function show(call: ExtensionCall, child: Directory | SkillFile): Promise<object | undefined> {
    if (!isDirectory(child)) return (await served.find(call, child.uri))?.descriptor;
    const { uri, name } = child;
    return (await isVisible(call, child)) ? { uri, name, mimeType: DIRECTORY } : undefined;
  }

  return {
    'resources/directory/read': {
      undeclared: true,
      async serve(call, params) {
        const uri = readUri(params);
        const found = directories.get(uri);
        if (!found || !(await isVisible(call, found))) throw notServed('directory', uri);
        const children = [...found.children];
        const page = await pageOf(children, params['cursor'], pageSize, (child) => show(call, child));
        return { resources: page.shown, ...page.next, ...served.cache };
      },
    },
  };
}

/** A folder that contains skills, or files of a skill. */
interface Directory {
  readonly uri: string;
  readonly name: string;
  readonly children: Set<Directory | SkillFile>;
  /** Every file below the folder. A caller that sees none of these files does not see the folder. */
  readonly files: SkillFile[];
}

/** Whether a child of a directory is itself a directory. */
function isDirectory(child: Directory | SkillFile): child is Directory {
  return 'children' in child;
}

/** Returns the directories of files, by URI. */
function directoriesOf(files: readonly SkillFile[]): ReadonlyMap<string, Directory> {
  const directories = new Map<string, Directory>();
  for (const file of files) {
    let child: Directory | SkillFile = file;
    for (let depth = file.segments.length - 1; depth > 0; depth--) {
      const segments = file.segments.slice(0, depth);
      const uri = skillUri(segments);
      const directory: Directory = directories.get(uri) ?? {
        uri,
        name: segments.at(-1) ?? '',
        children: new Set(),
        files: [],
      };
      directories.set(uri, directory);
      directory.children.add(child);
      directory.files.push(file);
      child = directory;
    }
  }
  return directories;
}

/** One page of a list, and where the next page starts. */
interface Page<T> {
  readonly shown: readonly T[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Returns a page of a list that does not change.
 *
 * @param show returns an item as the caller sees it; `undefined` hides it.
 * @param pageSize maximum number of items on a page; `undefined` for all items on one page.
 * @throws ProtocolError (-32602) if the cursor is invalid.
 */
async function pageOf<T, R>(
  items: readonly T[],
  cursor: unknown,
  pageSize: number | undefined,
  show: (item: T) => Promise<R | undefined>,
): Promise<Page<R>> {
  const shown: R[] = [];
  const start = decodeCursor(cursor);
  for (const [at, each] of items.entries()) {
    if (at < start) continue;
    const item = await show(each);
    if (item === undefined) continue;
    if (shown.length === pageSize) {
      return { shown, next: { nextCursor: encodeCursor(at) } };
    }
    shown.push(item);
  }
  return { shown, next: {} };
}

/** Reads the URI of a request. @throws ProtocolError (-32602) if the URI is missing. */
function readUri({ uri }: Readonly<Record<string, unknown>>): string {
  if (typeof uri === 'string') return uri;
  throw new ProtocolError(ERROR_CODES.invalidParams, '"uri" must be a string');
}

/** Returns the error (-32602) for a URI that is not served, or that the caller may not see. */
function notServed(what: string, uri: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, `This ${what} does not exist`, { uri });
}

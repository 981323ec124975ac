import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, throwIfInterrupted } from './failures.js';

/** The contents of a project's files, by path. Paths are relative to the project, and use slashes. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>;

/** A project whose files were written. */
export interface WrittenProject {
  /**
   * Removes the written files, and files that were added to the folder later. Files that were overwritten get
   * their earlier contents again.
   */
  undo(): Promise<void>;
}

/** The flags to open a file for overwriting. On systems that support it, a symbolic link is not followed. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

const GONE = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

/**
 * Writes all files of a project. If a file cannot be written, all changes are undone.
 *
 * @param directory the folder of the project. If the folder does not exist yet, it appears only after all files are
 *   written. If it exists, files with the same names are overwritten.
 * @throws Failure `WRITE_FAILED` if a file cannot be written, or if its path contains a symbolic link; `INTERRUPTED` if
 * the signal was aborted.
 */
export async function writeProject(
  directory: string,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<WrittenProject> {
  try {
    return existsSync(directory)
      ? await writeInto(directory, files, signal)
      : await writeNew(directory, files, signal);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code = String(error), path = directory } = error as NodeJS.ErrnoException;
    throw new Failure('WRITE_FAILED', `${path} cannot be written (${code}): nothing was left behind`);
  }
}

async function writeNew(
  directory: string,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<WrittenProject> {
  const parent = dirname(directory);
  const topmost = await mkdir(parent, { recursive: true });
  const undo = async (folder: string): Promise<void> => {
    await rm(folder, GONE);
    if (topmost !== undefined) await removeEmpty(parent, topmost);
  };
  const staging = join(parent, `.${basename(directory)}-${randomUUID().slice(0, 8)}`);
  try {
    await writeAll(staging, files, signal);
    await rename(staging, directory);
    return { undo: () => undo(directory) };
  } catch (error) {
    await undo(staging);
    throw error;
  }
}

async function writeInto(
  directory: string,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<WrittenProject> {
  await refuseLinks(directory, files.keys());
  const entries = new Set(await readdir(directory));
  const replaced = new Map<string, Uint8Array>();
  for (const path of files.keys()) {
    const full = join(directory, path);
    if (existsSync(full)) replaced.set(path, await readFile(full));
  }
  const folders = new Set<string>();
  const undo = async (): Promise<void> => {
    for (const path of files.keys()) {
      const before = replaced.get(path);
      if (before) await writeFile(join(directory, path), before, { flag: OVERWRITE });
      else await rm(join(directory, path), GONE);
    }
    const made = (await readdir(directory)).filter((name) => !entries.has(name));
    const gone = [...folders, ...made.map((name) => join(directory, name))];
    await Promise.all(gone.map((path) => rm(path, GONE)));
  };
  try {
    await writeAll(directory, files, signal, folders);
    return { undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Refuses symbolic links in the paths of files, because they could lead to files outside of the project. */
async function refuseLinks(directory: string, paths: Iterable<string>): Promise<void> {
  const known = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let length = 0; length <= parts.length; length += 1) known.add(parts.slice(0, length).join('/'));
  }
  for (const part of known) {
    const full = join(directory, part);
    const stats = await lstat(full).catch(() => undefined);
    if (!stats?.isSymbolicLink()) continue;
    const fix = part === '' ? 'use the folder that the link leads to' : 'remove it, or choose another folder';
    throw new Failure(
      'WRITE_FAILED',
      `${full} is a symbolic link, and files are never written through symbolic links: ${fix}`,
    );
  }
}

/** Writes files. @param made receives the folders that were created, only the topmost one of each path. */
async function writeAll(
  folder: string,
  files: ProjectFiles,
  signal: AbortSignal,
  made = new Set<string>(),
): Promise<void> {
  for (const [path, content] of files) {
    throwIfInterrupted(signal);
    const full = join(folder, path);
    const topmost = await mkdir(dirname(full), { recursive: true });
    if (topmost !== undefined) made.add(topmost);
    await writeFile(full, content, { flag: OVERWRITE });
  }
}

/** Removes empty folders, from one upward to a topmost one. Stops at a folder that is not empty. */
async function removeEmpty(folder: string, topmost: string): Promise<void> {
  const removed = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (removed && folder !== topmost) await removeEmpty(dirname(folder), topmost);
}

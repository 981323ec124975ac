import type { SkillFile } from './skill-file.js';
import { skillUri } from './skill-uri.js';

/** A folder of skills, or of files in them. */
export interface Directory {
  readonly uri: string;
  readonly name: string;
  readonly children: Set<Directory | SkillFile>;
  /** Every file below it. A caller who sees none of them does not see the folder. */
  readonly files: SkillFile[];
}

/** Whether a child of a directory is one itself. */
export function isDirectory(child: Directory | SkillFile): child is Directory {
  return 'children' in child;
}

/** The directories that files are in, by URI. */
export function directoriesOf(files: readonly SkillFile[]): ReadonlyMap<string, Directory> {
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

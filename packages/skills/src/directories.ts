import type { SkillFile } from './skill-file.js';
import { skillUri } from './skill-uri.js';

/** A folder of skills, or of files in them. */
export interface Directory {
  readonly uri: string;
  readonly name: string;
  readonly children: (Directory | SkillFile)[];
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
    for (let depth = file.segments.length - 1; depth > 0; depth--) {
      const uri = skillUri(file.segments.slice(0, depth));
      const name = file.segments[depth - 1] ?? '';
      const known = directories.get(uri) ?? { uri, name, children: [], files: [] };
      directories.set(uri, known);
      known.files.push(file);
    }
    linkUp(file, directories);
  }
  return directories;
}

/** Enters a file, and the directories it is in, with their parents. */
function linkUp(file: SkillFile, directories: ReadonlyMap<string, Directory>): void {
  let child: Directory | SkillFile | undefined = file;
  for (let depth = file.segments.length - 1; depth > 0 && child; depth--) {
    const parent = directories.get(skillUri(file.segments.slice(0, depth)));
    if (!parent?.children.includes(child)) parent?.children.push(child);
    child = parent;
  }
}

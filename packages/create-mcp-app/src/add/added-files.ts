import type { ProjectFiles } from '../write-project.js';

/** A class to add to a project: its name and its files. */
export interface AddedFiles {
  readonly className: string;
  /** The path of the file with the class, relative to `src`, without its extension. */
  readonly module: string;
  readonly files: ProjectFiles;
  /** A text that tells the user how to see the added view; absent for other classes. */
  readonly toSeeIt?: string;
}

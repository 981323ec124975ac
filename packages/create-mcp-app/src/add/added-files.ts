import type { ProjectFiles } from '../write-project.js';

/** The files for a new class, such as its test, and the name of the class. */
export interface AddedFiles {
  readonly className: string;
  /** The path of the file with the class, relative to `src`, without its extension. */
  readonly module: string;
  readonly files: ProjectFiles;
  /** A text that tells the user how to see the added view; absent for other classes. */
  readonly toSeeIt?: string;
}

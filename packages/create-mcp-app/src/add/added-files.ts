import type { ProjectFiles } from '../write-project.js';

/** The files of an added class. */
export interface AddedFiles {
  readonly className: string;
  /** The path of the class, relative to `src`, without its extension. */
  readonly module: string;
  readonly files: ProjectFiles;
  /** Instructions for seeing the result, if a compiled server does not show it. */
  readonly toSeeIt?: string;
}

import type { ProjectFiles } from '../write-project.js';

/** The files of an added class. */
export interface AddedFiles {
  readonly className: string;
  /** The file of the class, below `src`, without its extension. */
  readonly module: string;
  readonly files: ProjectFiles;
  /** How to see the result, if a compiled server does not show it. */
  readonly toSeeIt?: string;
}

import type { PackageManagerName } from '../project/package-managers.js';
import type { TemplateName } from '../template/template-names.js';

/** Where a project goes, and what it is called. */
export interface Target {
  /** Absolute. */
  readonly directory: string;
  readonly name: string;
}

/** Everything that had to be decided. */
export interface Choices extends Target {
  readonly template: TemplateName;
  readonly packageManager: PackageManagerName;
  readonly installs: boolean;
  readonly usesGit: boolean;
  /** Whether it may write over what is there. */
  readonly force: boolean;
  readonly local: boolean;
}

/** A file below the folder of skills. */
export interface FoundFile {
  /** The names of the folders it is in, from the folder of skills, and its own. */
  readonly segments: readonly string[];
  /** Where it is in the file system. */
  readonly location: string;
  /** Bytes. */
  readonly size: number;
}

/** The texts of an added class and of its test. */
export interface AddedFiles {
  readonly source: string;
  readonly test: string;
}

/** Files of a project: what is in them, by their paths within it, with slashes. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>;

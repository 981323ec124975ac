import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** How records are written to a file. */
export interface JsonLinesOptions {
  /**
   * Whether each record is on the disk before it counts as kept, by `fsync`. It takes a millisecond or more.
   * @default false
   */
  readonly sync?: boolean;
}

/** Keeps records in a file. */
export interface JsonLinesFile {
  /** Appends a record. @throws Error when it cannot be written. */
  write(record: object): void;
  close(): void;
}

/**
 * A file that gets a line of JSON for each record, as `audit.sink` of `createApp` takes it. Several processes may write to one file.
 *
 * @param path where the file is; it is made where there is none, for the user of the process alone.
 * @returns the file, which is open.
 * @throws Error when it cannot be opened.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', audit: { sink: jsonLinesFile('audit.jsonl'), required: true } });
 * ```
 */
export function jsonLinesFile(path: string, { sync = false }: JsonLinesOptions = {}): JsonLinesFile {
  const file = openSync(path, 'a', 0o600);
  return {
    write(record) {
      // In one write: what several processes append in one is not mixed.
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      const written = writeSync(file, line);
      if (written < line.length) throw new Error(`${path} has room for ${written} of ${line.length} bytes`);
      if (sync) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

import { closeSync, existsSync, fstatSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';

/** Options for writing records to a file. */
export interface JsonLinesOptions {
  /**
   * Whether each record is flushed to the disk (`fsync`) before `write` returns. This takes a millisecond or more per
   * record.
   * @default false
   */
  readonly sync?: boolean;
}

/** Appends records to a file. */
export interface JsonLinesFile {
  /** Appends a record. @throws Error when the record cannot be written. */
  write(record: object): void;
  /** Closes the file. */
  close(): void;
}

const OPTIONS: OptionTable<JsonLinesOptions> = { sync: true };

/** How often the file is checked for having been moved away, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Opens a file and appends each record to it, as one line of JSON. Use the result as the option `audit.sink` of
 * `createApp`. Several processes can write to the same file.
 *
 * @param path the path of the file. Only the user of the process can access a new file. If a program such as logrotate
 *   moves the file, a new file is created within a second.
 * @returns the open file.
 * @throws Error if the file cannot be opened; DefinitionError if an option is invalid.
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', audit: { sink: jsonLinesFile('audit.jsonl'), required: true } });
 * ```
 */
export function jsonLinesFile(path: string, options: JsonLinesOptions = {}): JsonLinesFile {
  OptionChecks.requireObject('jsonLinesFile', options);
  const checks = new OptionChecks('jsonLinesFile');
  checks.known(options, OPTIONS);
  checks.booleans(options, 'sync');
  checks.throwIfAny();
  const { sync = false } = options;
  let file = openFile(path);
  let lookedAt = performance.now();
  /** Opens the file at the path again if the open file was moved away. */
  const reopen = (): void => {
    lookedAt = performance.now();
    if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino) return;
    const moved = file;
    file = openFile(path);
    closeSync(moved);
  };
  return {
    write(record) {
      if (performance.now() - lookedAt > LOOK_MS) reopen();
      // One write per record, so that appends from several processes do not mix.
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      const written = writeSync(file, line);
      if (written < line.length)
        throw new Error(`only ${written} of ${line.length} bytes could be written to ${path}`);
      if (sync) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const folder = dirname(resolve(path));
    if (existsSync(folder)) throw error;
    throw new Error(`${path} cannot be opened: the folder ${folder} does not exist; create it first`, {
      cause: error,
    });
  }
}

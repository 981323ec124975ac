import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { watch } from 'chokidar';
import { objectOf, parseJson } from '../json.js';

/** Files that a compiler writes but no program loads. */
const NOT_RUN = /\.(map|d\.[cm]?ts|tsbuildinfo)$/;
const NOT_COMPILED = /(^|[\\/])(node_modules|\.[^\\/]+)([\\/]|$)/;

/** The files that a compiler writes for a program, and the program's `.env` file. */
export class CompiledOutput {
  /**
   * The absolute path of the compiler's output folder. For `dist/src/main.js`, it is the folder `dist` of the project.
   */
  readonly folder: string;
  /** The path of the `.env` file. The file does not always exist. */
  readonly settings: string;

  /** @param entry the absolute path of the file to start. */
  constructor(
    readonly cwd: string,
    private readonly entry: string,
  ) {
    this.settings = join(cwd, '.env');
    const path = relative(cwd, entry);
    const [first = '', ...others] = path.split(sep);
    const isInside = others.length > 0 && first !== '..' && !isAbsolute(path);
    this.folder = isInside ? join(cwd, first) : dirname(entry);
  }

  /**
   * Whether to ignore a path in `folder`. Ignored paths are installed packages, hidden files, and output that no
   * program loads, such as `.d.ts` files.
   */
  ignores(path: string): boolean {
    return NOT_COMPILED.test(relative(this.folder, path)) || NOT_RUN.test(path);
  }

  /** Returns a hash of the program's files and its `.env` file; `undefined` if the file to start does not exist. */
  async fingerprint(): Promise<string | undefined> {
    if (!existsSync(this.entry)) return undefined;
    const hash = createHash('sha256');
    for (const path of [...(await this.#files()), this.settings]) {
      const content = await readFile(path).catch(() => undefined);
      if (content !== undefined) hash.update(`${path}\0${content.length}\0`).update(content);
    }
    return hash.digest('hex');
  }

  /**
   * Returns the output files of each source file, according to the source maps. The key is the path of the source file.
   * Deleted source files are included, because compilers do not remove the output of deleted files.
   */
  async sources(): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    for (const path of await this.#files()) {
      const map = `${path}.map`;
      const text = await readFile(map, 'utf8').catch(() => '');
      const { sources, sourceRoot = '' } = objectOf(parseJson(text));
      const names: readonly unknown[] = Array.isArray(sources) ? sources : [];
      const [source] = names;
      if (typeof source !== 'string' || names.length > 1) continue;
      const from = resolve(dirname(path), String(sourceRoot), source);
      found.set(from, [...(found.get(from) ?? []), path, map]);
    }
    return found;
  }

  async #files(folder = this.folder): Promise<string[]> {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const files: string[] = [];
    for (const item of found.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = join(folder, item.name);
      if (this.ignores(path)) continue;
      if (item.isDirectory()) files.push(...(await this.#files(path)));
      else files.push(path);
    }
    return files;
  }
}

/** A running watch on files and folders. */
export interface Watch {
  /** Watches further files. */
  add(paths: Iterable<string>): void;
  close(): Promise<void>;
}

/**
 * How long no file may change until the output counts as complete, in milliseconds, because compilers write
 * many files at once.
 */
const QUIET_MS = 100;

/**
 * Watches the output of a compiler, and the `.env` file.
 *
 * @param changed a function that is called after changes, as soon as no file has changed for 100 ms.
 */
export function watchOutput(output: CompiledOutput, changed: () => void): Watch {
  const { cwd, folder, settings } = output;
  // The folder and the settings may not exist yet, or may be deleted, so their parents are watched.
  const around = [...new Set([dirname(folder), cwd])];
  const seen = [...around, settings];
  const sources = new Set<string>();
  const ignored = (path: string): boolean =>
    !seen.includes(path) &&
    !sources.has(path) &&
    ((path !== folder && !path.startsWith(folder + sep)) || output.ignores(path));
  const state: { timer?: ReturnType<typeof setTimeout>; isClosed?: boolean } = {};
  const watcher = watch(around, { ignored, ignoreInitial: true });
  const note = (): void => {
    clearTimeout(state.timer);
    state.timer = setTimeout(changed, QUIET_MS);
  };
  // The watcher does not report changes from before it was ready.
  watcher.on('ready', note).on('all', note);
  return {
    add(paths) {
      // Adding a path would open the watcher again, and keep the program alive.
      if (state.isClosed) return;
      const more = [...paths].filter((path) => !sources.has(path));
      for (const path of more) sources.add(path);
      watcher.add(more);
    },
    async close() {
      state.isClosed = true;
      await watcher.close();
      clearTimeout(state.timer);
    },
  };
}

import type { ExtensionCall, ExtensionHost, ResourceEntry } from '@sigil/core/extension';
import type { SkillFile } from './skill-file.js';

/**
 * The files of skills as resources of an app. A caller does not see a file if guards hide its resource from the caller,
 * or if the resource was removed from the app.
 */
export class ServedFiles {
  readonly #entries: ReadonlyMap<string, ResourceEntry>;

  constructor(
    private readonly host: ExtensionHost,
    files: readonly SkillFile[],
  ) {
    this.#entries = new Map(
      files.flatMap(({ uri }) => {
        const entry = host.registry.resources.get(uri);
        return entry ? [[uri, entry]] : [];
      }),
    );
  }

  /** How long clients may cache results about the files, and whether a public cache may store these results. */
  get cache(): { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } {
    const { listCache } = this.host;
    const isGuarded = [...this.#entries.values()].some(({ guardCheck }) => guardCheck);
    return isGuarded ? { ...listCache, cacheScope: 'private' } : listCache;
  }

  /**
   * Returns the resource for a file; `undefined` if the resource was removed, or if guards hide it from the
   * caller.
   */
  async find(call: ExtensionCall, uri: string): Promise<ResourceEntry | undefined> {
    const entry = this.#entries.get(uri);
    // If another entry has replaced ours, its contents have no digest.
    if (!entry || this.host.registry.resources.get(uri) !== entry) return undefined;
    return (await call.sees(entry)) ? entry : undefined;
  }

  /** Returns the files whose resources exist and are not hidden from the caller by guards. */
  async visible<F extends Pick<SkillFile, 'uri'>>(call: ExtensionCall, files: readonly F[]): Promise<F[]> {
    const found = await Promise.all(files.map(({ uri }) => this.find(call, uri)));
    return files.filter((_file, index) => found[index] !== undefined);
  }
}

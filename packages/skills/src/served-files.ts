import type { ExtensionCall, ExtensionHost, ResourceEntry } from '@sigil/core/extension';
import type { SkillFile } from './skill-file.js';

/**
 * The files of skills as resources of an app, with their visibility. Files that guards hide, or that were removed, do
 * not exist for a caller.
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

  /** How long and in which cache clients may store results about the files. */
  get cache(): { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } {
    const { listCache } = this.host;
    const isGuarded = [...this.#entries.values()].some(({ guardCheck }) => guardCheck);
    return isGuarded ? { ...listCache, cacheScope: 'private' } : listCache;
  }

  /** The resource that serves a file, when it is still there and the caller may see it. */
  async find(call: ExtensionCall, uri: string): Promise<ResourceEntry | undefined> {
    const entry = this.#entries.get(uri);
    // An entry that replaced ours has contents without a digest.
    if (!entry || this.host.registry.resources.get(uri) !== entry) return undefined;
    return (await call.sees(entry)) ? entry : undefined;
  }

  /** The files that the caller may see. */
  async visible<F extends Pick<SkillFile, 'uri'>>(call: ExtensionCall, files: readonly F[]): Promise<F[]> {
    const found = await Promise.all(files.map(({ uri }) => this.find(call, uri)));
    return files.filter((_file, index) => found[index] !== undefined);
  }
}

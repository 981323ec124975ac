import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** The part of a `package.json` that is used here. */
interface Manifest {
  readonly name?: string;
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Returns the package name from an import specifier, for example `typedi` from `typedi/cjs/index.js`. */
export function importedPackage(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** Whether a path is equal to the path of a folder, or inside the folder. */
export function isWithin(path: string, folder: string): boolean {
  return !isAbsolute(relative(folder, path)) && relative(folder, path).split(sep)[0] !== '..';
}

/** Returns the folder of a package that a file imports; `undefined` if the package is not installed. */
export function packageFolder(name: string, importer: string): string | undefined {
  const folders = createRequire(importer).resolve.paths(name) ?? [];
  const found = folders
    .map((folder) => join(folder, name))
    .find((one) => existsSync(join(one, 'package.json')));
  return found && realpathSync(found);
}

/** Reads installed packages. Each file is read only once. */
export class Packages {
  readonly #manifests = new Map<string, Manifest | undefined>();
  readonly #withAddon = new Map<string, boolean>();

  /** Returns the folder of the package that contains a file. */
  folderOf(path: string): string | undefined {
    const folder = dirname(path);
    if (this.#manifest(folder)?.name !== undefined) return folder;
    return folder === path ? undefined : this.folderOf(folder);
  }

  /** Whether a package, or one of its platform-specific dependencies, has a compiled addon. */
  hasAddon(folder: string): boolean {
    const known = this.#withAddon.get(folder);
    if (known !== undefined) return known;
    const { optionalDependencies = {} } = this.#manifest(folder) ?? {};
    const has =
      existsSync(join(folder, 'binding.gyp')) ||
      hasAddonFile(folder) ||
      this.#installed(folder, optionalDependencies).some(
        (one) => this.#manifest(one)?.cpu !== undefined && hasAddonFile(one),
      );
    this.#withAddon.set(folder, has);
    return has;
  }

  /** Returns those packages in `names` that the package in `folder` depends on, directly or indirectly. */
  usedBy(folder: string, names: readonly string[]): readonly string[] {
    const used = new Set<string>();
    const folders = new Set([folder]);
    for (const one of folders) {
      const { dependencies, optionalDependencies, peerDependencies } = this.#manifest(one) ?? {};
      const asked = { ...dependencies, ...optionalDependencies, ...peerDependencies };
      for (const next of this.#installed(one, asked)) folders.add(next);
      for (const name of names) if (Object.hasOwn(asked, name)) used.add(name);
    }
    return [...used];
  }

  #installed(folder: string, names: Readonly<Record<string, string>>): string[] {
    const importer = join(folder, 'package.json');
    return Object.keys(names).flatMap((name) => packageFolder(name, importer) ?? []);
  }

  #manifest(folder: string): Manifest | undefined {
    const path = join(folder, 'package.json');
    if (!this.#manifests.has(folder))
      this.#manifests.set(
        folder,
        existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined,
      );
    return this.#manifests.get(folder);
  }
}

function hasAddonFile(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? entry.name !== 'node_modules' && hasAddonFile(join(folder, entry.name))
      : entry.name.endsWith('.node'),
  );
}

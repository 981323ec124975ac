import type { PackageManagerName } from '../project/package-managers.js';
import type { ProjectFiles } from '../project/project-files.js';
import type { Tarball } from './pack-packages.js';

const FIELDS = ['dependencies', 'devDependencies'] as const;

type Ranges = Record<string, string>;

/**
 * Has a project install tarballs that it holds in `vendor/`, for itself and for what its packages need of each other.
 *
 * @param files of the project, with its `package.json`.
 */
export function pointToVendor(
  files: ProjectFiles,
  tarballs: ReadonlyMap<string, Tarball>,
  packageManager: PackageManagerName,
): ProjectFiles {
  const specs = new Map([...tarballs].map(([name, { file }]) => [name, `file:vendor/${file}`]));
  const manifest = JSON.parse(String(files.get('package.json'))) as Record<string, Ranges>;
  for (const field of FIELDS) {
    for (const name of Object.keys(manifest[field] ?? {})) {
      const spec = specs.get(name);
      if (spec !== undefined) (manifest[field] ??= {})[name] = spec;
    }
  }
  const changed = new Map(files);
  const all = Object.fromEntries(specs);
  if (packageManager === 'pnpm') {
    const overrides = Object.entries(all).map(([name, spec]) => `  '${name}': ${spec}`);
    const settings = files.get('pnpm-workspace.yaml');
    changed.set(
      'pnpm-workspace.yaml',
      [...(settings ? [String(settings).trimEnd()] : []), 'overrides:', ...overrides, ''].join('\n'),
    );
  } else {
    const indirect = Object.entries(all).filter(([name]) => !FIELDS.some((field) => manifest[field]?.[name]));
    // npm refuses an override of what the project itself asks for; yarn and bun need one for that too.
    manifest[packageManager === 'yarn' ? 'resolutions' : 'overrides'] =
      packageManager === 'npm' ? Object.fromEntries(indirect) : all;
  }
  changed.set('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
  for (const { file, content } of tarballs.values()) changed.set(`vendor/${file}`, content);
  return changed;
}

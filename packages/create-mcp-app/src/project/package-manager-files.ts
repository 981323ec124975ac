import type { PackageManagerName } from './package-managers.js';
import type { ProjectFiles } from './project-files.js';

const FILES: Readonly<Record<PackageManagerName, ReadonlyArray<readonly [path: string, content: string]>>> = {
  npm: [],
  pnpm: [
    [
      'pnpm-workspace.yaml',
      [
        "packages: ['.']",
        '# The packages need none of their install scripts, which pnpm does not run: newer versions fail on them unless told.',
        'strictDepBuilds: false',
        '',
      ].join('\n'),
    ],
  ],
  // Programs of projects are started by their paths in node_modules, and an empty lockfile says that this is a project of its own.
  yarn: [
    ['.yarnrc.yml', 'nodeLinker: node-modules\n'],
    ['yarn.lock', ''],
  ],
  bun: [],
};

/** Files that a package manager needs in a project, beside those of the template. */
export function packageManagerFiles(name: PackageManagerName): ProjectFiles {
  return new Map(FILES[name]);
}

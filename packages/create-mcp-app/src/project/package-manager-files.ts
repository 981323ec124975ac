import type { PackageManagerName } from './package-managers.js';
import type { ProjectFiles } from './project-files.js';
import { inCommandsOf } from './script-commands.js';

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

/** What a package manager leaves in a project that belongs to no repository, beside `node_modules`. */
const LEFT_BEHIND: Readonly<Partial<Record<PackageManagerName, string>>> = {
  yarn: '.yarn/install-state.gz',
};

/** The files of a project, with those that its package manager needs, and a README that names its commands. */
export function withPackageManager(files: ProjectFiles, name: PackageManagerName): ProjectFiles {
  const ignored = LEFT_BEHIND[name];
  const ignores =
    ignored === undefined ? [] : [['.gitignore', `${String(files.get('.gitignore'))}${ignored}\n`] as const];
  const readme = files.get('README.md');
  const said = readme === undefined ? [] : [['README.md', inCommandsOf(name, String(readme))] as const];
  return new Map([...files, ...said, ...FILES[name], ...ignores]);
}

import type { ProjectFiles } from './write-project.js';

/** The package managers that projects can be created for. */
export const PACKAGE_MANAGER_NAMES = ['npm', 'pnpm', 'yarn', 'bun'] as const;

/** The name of a package manager, which is also the name of its program. */
export type PackageManagerName = (typeof PACKAGE_MANAGER_NAMES)[number];

/** The commands and settings of a package manager. */
export interface PackageManager {
  readonly name: PackageManagerName;
  /** The arguments that install the packages of a project quickly, with little output. */
  readonly install: readonly string[];
  /** Environment variables for the installation. */
  readonly env: Readonly<Record<string, string>>;
}

const ARGUMENTS: Readonly<Record<PackageManagerName, readonly string[]>> = {
  npm: ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-progress', '--loglevel=error'],
  pnpm: ['install', '--prefer-offline'],
  yarn: ['install'],
  bun: ['install'],
};

/** Returns the settings of a package manager. */
export function packageManager(name: PackageManagerName): PackageManager {
  // In CI, yarn refuses to write the first lockfile unless this allows it.
  const env = name === 'yarn' ? { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' } : {};
  return { name, install: ARGUMENTS[name], env };
}

/** Returns the arguments that make the program of a package manager run a script of a project. */
export function runArguments(name: PackageManagerName, script: string): readonly string[] {
  return name === 'yarn' || name === 'pnpm' ? [script] : ['run', script];
}

/**
 * Returns the package manager that has started this process; `undefined` if it is unknown.
 *
 * @param userAgent the environment variable `npm_config_user_agent`, such as `pnpm/10.34.9 npm/? node/v20.20.2 linux
 * x64`.
 */
export function packageManagerFrom(userAgent: string | undefined): PackageManagerName | undefined {
  const running = userAgent?.split('/', 1)[0];
  return PACKAGE_MANAGER_NAMES.find((name) => name === running);
}

const FILES: Readonly<Record<PackageManagerName, ReadonlyArray<readonly [path: string, content: string]>>> = {
  npm: [],
  pnpm: [
    [
      'pnpm-workspace.yaml',
      [
        "packages: ['.']",
        '# pnpm does not run install scripts, and the packages do not need them. Without this setting, newer versions of pnpm fail if a package has an install script.',
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

/** Files that a package manager writes besides `node_modules`, and that should not be committed. */
const LEFT_BEHIND: Readonly<Partial<Record<PackageManagerName, string>>> = {
  yarn: '.yarn/install-state.gz',
};

/**
 * Prepares the files of a project for a package manager. Files that the package manager needs are added. In
 * `README.md` and `AGENTS.md`, npm commands are replaced with commands of the package manager.
 */
export function withPackageManager(files: ProjectFiles, name: PackageManagerName): ProjectFiles {
  const ignored = LEFT_BEHIND[name];
  const ignores =
    ignored === undefined ? [] : [['.gitignore', `${String(files.get('.gitignore'))}${ignored}\n`] as const];
  const pages = ['README.md', 'AGENTS.md'].flatMap((path) => {
    const text = files.get(path);
    return text === undefined ? [] : [[path, inCommandsOf(name, String(text))] as const];
  });
  return new Map([...files, ...pages, ...FILES[name], ...ignores]);
}

/** Commands of npm in the pages of a template, with the spaces before a comment. */
const NPM_COMMAND = /\bnpm (install|test|start|run ([\w-]+))\b( +(?=#))?/g;

/**
 * Replaces npm commands in a text with commands of another package manager. A comment after a command stays in
 * its column.
 *
 * @param text a text such as ``Run `npm run build` first``.
 */
export function inCommandsOf(name: PackageManagerName, text: string): string {
  if (name === 'npm') return text;
  return text.replace(NPM_COMMAND, (match, verb: string, script: string | undefined, room?: string) => {
    const words = verb === 'install' ? ['install'] : runArguments(name, script ?? verb);
    const command = [name, ...words].join(' ');
    return room === undefined ? command : `${command} `.padEnd(match.length);
  });
}

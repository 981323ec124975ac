/** The package managers that projects can be created for. */
export const PACKAGE_MANAGER_NAMES = ['npm', 'pnpm', 'yarn', 'bun'] as const;

/** The name of a package manager, and of its program. */
export type PackageManagerName = (typeof PACKAGE_MANAGER_NAMES)[number];

/** How a package manager is used. */
export interface PackageManager {
  readonly name: PackageManagerName;
  /** What installs a project: quick, and no lines that nobody asked for. */
  readonly install: readonly string[];
  /** Variables it needs for that. */
  readonly env: Readonly<Record<string, string>>;
}

const ARGUMENTS: Readonly<Record<PackageManagerName, readonly string[]>> = {
  npm: ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-progress', '--loglevel=error'],
  pnpm: ['install', '--prefer-offline'],
  yarn: ['install'],
  bun: ['install'],
};

/** A package manager by its name. */
export function packageManager(name: PackageManagerName): PackageManager {
  // Where CI is set, yarn refuses to write the first lockfile unless it is told to.
  const env = name === 'yarn' ? { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' } : {};
  return { name, install: ARGUMENTS[name], env };
}

/** The arguments that run a script of a project. */
export function runArguments(name: PackageManagerName, script: string): readonly string[] {
  return name === 'yarn' || name === 'pnpm' ? [script] : ['run', script];
}

/**
 * The package manager that runs this command.
 *
 * @param userAgent `npm_config_user_agent` of the environment, such as `pnpm/10.34.9 npm/? node/v20.20.2 linux x64`.
 */
export function packageManagerFrom(userAgent: string | undefined): PackageManagerName | undefined {
  const running = userAgent?.split('/', 1)[0];
  return PACKAGE_MANAGER_NAMES.find((name) => name === running);
}

/** @jest-config-loader esbuild-register */
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from 'jest';

type Project = Exclude<NonNullable<Config['projects']>[number], string>;

const swc = {
  sourceMaps: 'inline',
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    keepClassNames: true,
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: true,
      verbatimModuleSyntax: true,
    },
  },
  module: { type: 'es6' },
};

/** `npm run mutate` has one file compiled as it is not written. */
const compiler = process.env['MUTATION'] ? resolve('scripts/mutated-source.mjs') : '@swc/jest';

const base: Project = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [compiler, swc],
    '^.+\\.cts$': [compiler, { ...swc, module: { type: 'commonjs' } }],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'] },
};

/**
 * What `npm test` leaves to `npm run test:all`: suites that install projects, bundle, fuzz, compute for long, run other frameworks or
 * start many processes.
 */
const LEFT_TO_ALL = [
  'packages/auth/test/flood.test.ts',
  'packages/core/test/schema/*agreement.test.ts',
  'packages/http/test/unread.test.ts',
  'packages/postgres/test/{failures,pgbouncer}.test.ts',
  'packages/redis/test/{cluster,failures,sentinel}.test.ts',
  'tests/apps/inventory-worker-database.test.ts',
  'tests/docs/worker-pages.test.ts',
  'tests/e2e/**/*.test.ts',
  'tests/fuzz/*.test.ts',
  'tests/publishing/*.test.ts',
  'tests/site/*.test.ts',
  'tests/soak/*.test.ts',
];

/** What both leave to `npm run test:anywhere`: the matrix of runtimes, bundlers and compilers, and the hosts of models. */
const LEFT_TO_ANYWHERE = ['tests/anywhere/*.test.ts'];

/** Which suites run: `test`, `all` or `anywhere`, as the scripts of package.json say; every suite of a given path without it. */
const { SUITES } = process.env;

/** The test files of a folder that run. */
function filesOf(folder: string, tests: string): string[] {
  const within = (globs: readonly string[]): string[] =>
    globs.filter((glob) => glob.startsWith(`${folder}/`)).map((glob) => resolve(glob));
  if (SUITES === 'all') return within(LEFT_TO_ALL);
  if (SUITES === 'anywhere') return within(LEFT_TO_ANYWHERE);
  const left = SUITES === 'test' ? within([...LEFT_TO_ALL, ...LEFT_TO_ANYWHERE]) : [];
  return [resolve(folder, tests), ...left.map((glob) => `!${glob}`)];
}

/** Unit tests of a package load its sources; nothing needs building. */
const unit = (dir: string): Project => ({
  ...base,
  displayName: dir,
  rootDir: dir,
  testMatch: filesOf(dir, 'test/**/*.test.ts'),
  setupFilesAfterEnv: [resolve('tests/ledger.ts')],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testEnvironmentOptions: { customExportConditions: ['@sigil/source', 'node', 'node-addons'] },
});

/** Tests that cross packages load what `npm run build` emitted, as a user's program does. */
const built: Project = {
  ...base,
  displayName: 'tests',
  rootDir: 'tests',
  testMatch: filesOf('tests', '**/*.test.ts'),
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
};

const packages = readdirSync('packages')
  .map((name) => `packages/${name}`)
  .filter((dir) => existsSync(`${dir}/test`));

/** Templates bring the configuration of their users, and load what `npm run build` emitted. */
const templatesDir = 'packages/create-mcp-app/templates';
const templates = readdirSync(templatesDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `<rootDir>/${templatesDir}/${name}`);

const config: Config = {
  // Only for what never ends: the machine may be busy. Not a setting of a project.
  testTimeout: 30_000,
  projects: [
    ...[...packages.map(unit), built].filter(({ testMatch }) => testMatch?.length),
    ...(SUITES === 'all' || SUITES === 'anywhere' ? [] : templates),
  ],
  reporters: [
    'default',
    [
      '<rootDir>/tests/left-out.mjs',
      SUITES === 'test' ? { all: LEFT_TO_ALL, anywhere: LEFT_TO_ANYWHERE } : {},
    ],
  ],
  collectCoverageFrom: ['packages/*/src/**/*.ts', '!**/*.d.ts'],
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  coverageReporters: ['text-summary', 'lcov'],
  workerIdleMemoryLimit: '512MB',
  // Half of the time of the tests is waiting for processes.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/tests/slowest-first.mjs',
};

export default config;

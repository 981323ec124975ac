/** @jest-config-loader esbuild-register */
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
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

const base: Project = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'] },
};

/** Unit tests of a package load its sources; nothing needs building. */
const unit = (dir: string): Project => ({
  ...base,
  displayName: dir,
  rootDir: dir,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testEnvironmentOptions: { customExportConditions: ['@sigil/source', 'node', 'node-addons'] },
});

/** Tests that cross packages load what `npm run build` emitted, as a user's program does. */
const built: Project = {
  ...base,
  displayName: 'tests',
  rootDir: 'tests',
  testMatch: ['<rootDir>/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/anywhere/'],
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
};

/** The matrix of runtimes, bundlers and compilers takes minutes: `npm run test:anywhere`. */
const anywhere: Project = {
  ...built,
  displayName: 'anywhere',
  testMatch: ['<rootDir>/anywhere/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
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
  projects: process.env['ANYWHERE'] === '1' ? [anywhere] : [...packages.map(unit), ...templates, built],
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

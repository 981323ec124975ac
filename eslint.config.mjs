import { existsSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** Rooms whose runtime is not Node: nothing of the host may be taken for granted. */
const NEUTRAL = ['packages/core/src/**/*.ts', 'packages/testing/src/**/*.ts'];

/** Outside the workspaces: their types are here once `npm run install:anywhere` has run, as it has in `.ci/run`. */
const NOT_INSTALLED = ['apps/next', 'tests/anywhere'].filter(
  (folder) => !existsSync(`${folder}/node_modules`),
);

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/.next/**',
      '**/next-env.d.ts',
      'coverage/**',
      'node_modules/**',
      '.scratch/**',
      '**/results/**',
      '**/*.{mjs,cjs,d.mts}',
      'jest.config.ts',
      ...NOT_INSTALLED.map((folder) => `${folder}/**`),
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      // Decorator-aware: it leaves alone what metadata needs at run time.
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      // CommonJS modules of ours, `.cts`, have no other imports.
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      // Not an Error, so that handlers that catch errors let it pass.
      '@typescript-eslint/only-throw-error': [
        'error',
        {
          allow: [
            { from: 'file', name: 'Suspension' },
            { from: 'package', name: 'Suspension', package: '@sigil/core' },
          ],
          allowRethrowing: true,
        },
      ],
      // It judges with TypeScript 6 what TypeScript 7 compiles, and its fixes do not always type-check.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      'max-lines': ['error', 700],
      'no-console': 'error',
      eqeqeq: 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'packages/cli/page/src/**/*.{ts,tsx}', 'apps/*/src/**/*.ts'],
    rules: {
      // Say who is meant: a client, a user, an author. Say "by default" for what is not given.
      'no-warning-comments': [
        'error',
        {
          terms: ['whoever', 'nobody', 'somebody', 'its kin', 'for ever', 'unless given'],
          location: 'anywhere',
        },
      ],
    },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > VariableDeclaration[kind="let"]',
          message: 'Module state cannot diverge if there is none: keep it on an object.',
        },
        { selector: 'ExportAllDeclaration', message: 'Every public name is a decision: export it by name.' },
      ],
    },
  },
  {
    files: NEUTRAL,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:*'],
              message: 'Core runs everywhere; Node belongs in packages/node, stdio, http and skills.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'console', 'require', '__dirname'],
    },
  },
  {
    files: [
      'packages/{stdio,http,express,fastify,hono,next,lambda,workers,node,redis,postgres,bullmq,otel,skills,testing,cli,create-mcp-app}/src/**/*.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex:
                '^@sigil/core/(?!(content|protocol|backend|extension|manifest|transport|internal|build)$)',
              message:
                'Transports and extensions use the public API, so that anybody can write one: @sigil/core and its entry points.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/test/**/*.ts', 'tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'off',
    },
  },
  {
    files: ['apps/*/src/**/*.ts', 'packages/create-mcp-app/{templates,additions}/*/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);

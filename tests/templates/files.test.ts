import { describe, expect, test } from '@jest/globals';
import { filesOf, manifestOf, read, TEMPLATES } from './template.js';

const EVERYWHERE = [
  '.vscode/mcp.json',
  'AGENTS.md',
  'README.md',
  '_gitignore',
  'jest.config.mjs',
  'package.json',
  'src/app.ts',
  'src/main.ts',
  'src/server.ts',
  'test/tsconfig.json',
  'tsconfig.json',
];

const ALONE: Readonly<Record<string, readonly string[]>> = {
  minimal: ['src/tools/greet.ts', 'test/tools/greet.test.ts'],
  http: [
    '.dockerignore',
    'Dockerfile',
    'src/auth.ts',
    'src/prompts/plan-dinner.ts',
    'src/resources/recipes.ts',
    'src/runtime.ts',
    'src/services/recipe-book.ts',
    'src/telemetry.ts',
    'src/tools/find-recipes.ts',
    'test/auth.test.ts',
    'test/tools/find-recipes.test.ts',
    'test/prompts/plan-dinner.test.ts',
    'test/resources/recipes.test.ts',
    'test/runtime.test.ts',
    'test/telemetry.test.ts',
  ],
  full: [
    '.oxlintrc.json',
    'src/dto/book-list.ts',
    'src/dto/book-query.ts',
    'src/dto/book.ts',
    'src/dto/loan-request.ts',
    'src/dto/loan.ts',
    'src/dto/return-form.ts',
    'src/dto/stock-report.ts',
    'src/middleware/log-duration.ts',
    'src/prompts/recommend-books.ts',
    'src/resources/books.ts',
    'src/services/catalog.ts',
    'src/services/clock.ts',
    'src/services/loans.ts',
    'src/services/shelves.ts',
    'src/telemetry.ts',
    'src/tools/lend-books.ts',
    'src/tools/return-books.ts',
    'src/tools/search-books.ts',
    'src/tools/take-stock.ts',
    'test/telemetry.test.ts',
    'test/resources/books.test.ts',
    'test/tools/lend-books.test.ts',
    'test/middleware/log-duration.test.ts',
    'test/prompts/recommend-books.test.ts',
    'test/tools/return-books.test.ts',
    'test/tools/search-books.test.ts',
    'test/tools/take-stock.test.ts',
  ],
};

describe.each(TEMPLATES)('the template %s', (template) => {
  test('holds these files and no other', () => {
    expect(filesOf(template)).toEqual([...EVERYWHERE, ...(ALONE[template] ?? [])].sort());
  });

  test('keeps what installing and compiling make out of git, and secrets', () => {
    expect(read(template, '_gitignore').split('\n')).toEqual(
      expect.arrayContaining(['node_modules/', 'dist/', '.env']),
    );
  });

  test('has everything it serves tested', () => {
    const served = filesOf(template).filter((path) => /^src\/(tools|resources|prompts)\//.test(path));
    const tests = served.map((path) => path.replace(/^src\/(.*)\.ts$/, 'test/$1.test.ts'));

    expect(filesOf(template)).toEqual(expect.arrayContaining(tests));
  });

  test('finds what it serves in the folders where generators write', () => {
    expect(read(template, 'src/app.ts')).toContain(
      "new URL('./{tools,resources,prompts}/**/*.js', import.meta.url)",
    );
  });

  test('emits the metadata of decorators, and nothing while there are errors', () => {
    expect(JSON.parse(read(template, 'tsconfig.json'))).toMatchObject({
      compilerOptions: {
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        noEmitOnError: true,
        outDir: 'dist',
      },
    });
  });

  test('names the program it builds in .vscode/mcp.json', () => {
    const { servers } = JSON.parse(read(template, '.vscode/mcp.json')) as { servers: Record<string, object> };

    expect(Object.values(servers)).toContainEqual(
      expect.objectContaining({
        type: 'stdio',
        command: 'node',
        args: expect.arrayContaining(['${workspaceFolder}/dist/main.js']),
      }),
    );
    expect(manifestOf(template).scripts['start']).toBe('node dist/main.js');
  });
});

test.each(['_gitignore', 'jest.config.mjs', 'test/tsconfig.json', 'tsconfig.json'])(
  '%s is the same in every template',
  (path) => {
    expect(new Set(TEMPLATES.map((template) => read(template, path))).size).toBe(1);
  },
);

test('AGENTS.md is the same in every template, but for what full alone has', () => {
  const [full = '', ...others] = ['full', 'http', 'minimal'].map((template) => read(template, 'AGENTS.md'));
  const sections = full.split(/^(?=## )/m);
  const shared = sections.filter((section) => !section.startsWith('## Observability'));

  expect(shared.length).toBe(sections.length - 1);
  expect(new Set([shared.join(''), ...others]).size).toBe(1);
});

test.each(['src/telemetry.ts', 'test/telemetry.test.ts'])('%s is the same in http and in full', (path) => {
  expect(read('full', path)).toBe(read('http', path));
});

describe('the image of the template http', () => {
  const dockerfile = read('http', 'Dockerfile');

  test('asks for the health that the server tells', () => {
    // Where `app.run()` serves it, unless the options of HTTP say another path.
    expect(read('http', 'src/runtime.ts')).not.toContain('health:');
    expect(dockerfile).toContain('${process.env.PORT}/health`');
  });

  test('keeps what npm downloads in a cache of the build, and out of the image', () => {
    const [, cache] = /^ENV npm_config_cache=(\S+)$/m.exec(dockerfile) ?? [];

    const installs = dockerfile.split('\n').filter((line) => line.includes('npm install'));
    expect(installs).toEqual([
      expect.stringContaining(`RUN --mount=type=cache,target=${cache} if [ -f package-lock.json ]`),
      `RUN --mount=type=cache,target=${cache} npm install --omit=dev --cache ${cache}`,
    ]);
  });

  test('runs as another user than root, and listens to all the network', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^ENV .*\bHOST=0\.0\.0\.0\b/m);
  });

  test('writes its commands as JSON, which no shell changes', () => {
    const commands = [...dockerfile.matchAll(/CMD (.*)$/gm)].map(
      ([, json = '']) => JSON.parse(json) as string[],
    );

    expect(commands.map(([program]) => program)).toEqual(['node', 'node']);
    expect(commands[1]).toEqual(['node', 'dist/app.mjs']);
  });

  test('runs npm scripts that are there', () => {
    const scripts = [...dockerfile.matchAll(/npm run (\S+)/g)].map(([, script]) => script);

    expect(scripts).toEqual(['bundle']);
    expect(Object.keys(manifestOf('http').scripts)).toEqual(expect.arrayContaining(scripts));
  });

  test('has all of the folder that the build ships', () => {
    const [, shipped] = /^RUN npm run bundle -- --ship (\S+)$/m.exec(dockerfile) ?? [];

    expect(dockerfile).toContain(`COPY --from=build /app/${shipped}/ ./\n`);
    expect(read('http', '_gitignore')).toContain(`${shipped}/\n`);
  });

  test('is built without secrets and without what this machine has installed', () => {
    expect(read('http', '.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.env.*', '.npmrc', '.git', 'dist', 'ship', 'node_modules']),
    );
  });
});

import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { UI_NAMES, withAddition } from '../src/additions.js';
import { dependencyNames, readManifest } from '../src/package-json.js';
import { readTemplate, TEMPLATE_NAMES } from '../src/templates.js';

/** What a test looks at in a file of docker compose. */
interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly ports?: readonly string[];
        readonly depends_on?: object;
        readonly command?: readonly string[];
        readonly network_mode?: string;
      }
    >
  >;
}

const files = (content: Readonly<Record<string, string>>) => new Map(Object.entries(content));

describe('an addition', () => {
  test('writes its files beside those of the template, and over them', () => {
    const merged = withAddition(files({ 'a.ts': 'a', 'b.ts': 'b' }), files({ 'b.ts': 'B', 'c.ts': 'C' }));
    expect(Object.fromEntries(merged)).toEqual({ 'a.ts': 'a', 'b.ts': 'B', 'c.ts': 'C' });
  });

  test('puts sections into pages: in place of those with the same title, others behind the one before', () => {
    const page = '# Title\n\nIntro\n\n## One\n\nOld one\n\n## Two\n\nOld two\n';
    const sections = '## New\n\nNew\n\n## One\n\nNew one\n\n## More\n\nMore\n';
    const merged = withAddition(files({ 'README.md': page }), files({ 'README.md': sections }));
    expect(merged.get('README.md')).toBe(
      '# Title\n\nIntro\n\n## New\n\nNew\n\n## One\n\nNew one\n\n## More\n\nMore\n\n## Two\n\nOld two\n',
    );
  });

  test('adds scripts and packages to the manifest, and wins', () => {
    const own = { name: 'app', scripts: { dev: 'own' }, dependencies: { b: '1' }, devDependencies: {} };
    const more = {
      name: 'other',
      scripts: { dev: 'other', more: 'm' },
      dependencies: { a: '2', b: '2' },
      devDependencies: { d: '3' },
    };
    const merged = withAddition(
      files({ 'package.json': JSON.stringify(own) }),
      files({ 'package.json': JSON.stringify(more) }),
    );
    const manifest = JSON.parse(String(merged.get('package.json'))) as object;
    expect(manifest).toEqual({
      name: 'app',
      scripts: { dev: 'other', more: 'm' },
      dependencies: { a: '2', b: '2' },
      devDependencies: { d: '3' },
    });
    expect(JSON.stringify(manifest)).toContain('{"a":"2","b":"2"}');
  });

  test('begins a project with the settings of its example', () => {
    const merged = withAddition(files({}), files({ '.env.example': 'A=1\n' }));
    expect(merged.get('.env')).toBe('A=1\n');
  });
});

describe.each(['http', 'full'] as const)('a project of %s with oauth', (template) => {
  const project = readTemplate(template, 'my-app', { auth: 'oauth', ui: 'none' });
  const text = async (path: string): Promise<string> => String((await project).get(path));
  /** What reads the variables of the server. */
  const settingsCode = async (): Promise<string> =>
    (
      await Promise.all(['src/auth.ts', 'src/backend.ts', 'src/runtime.ts', 'src/telemetry.ts'].map(text))
    ).join('\n');

  test('has its name everywhere', async () => {
    const left = [...(await project)].filter(([, content]) => /(template|addition)-/.test(String(content)));
    expect(left.map(([path]) => path)).toEqual([]);
    expect(await text('README.md')).toContain('claude mcp add --transport http my-app ');
  });

  test('keeps everything of its template', async () => {
    const before = [...(await readTemplate(template, 'my-app')).keys()];
    expect([...(await project).keys()]).toEqual(expect.arrayContaining(before));
  });

  test('depends on what its files import', async () => {
    const manifest = readManifest(await text('package.json'));
    if (!manifest) throw new Error('no manifest');
    const code = [...(await project)].filter(([path]) => /\.(ts|mjs)$/.test(path));
    const imported = code.flatMap(([, content]) =>
      [...String(content).matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^/'.]+)/g)].map(
        ([, name = '']) => name,
      ),
    );
    const packages = [...new Set(imported)].filter((name) => !name.startsWith('node:'));
    expect(packages).toEqual(expect.arrayContaining(['@sigil/auth', 'oidc-provider']));
    expect(dependencyNames(manifest)).toEqual(expect.arrayContaining(packages));
  });

  test('explains every variable that its code reads, and no other', async () => {
    const names =
      /\b(OAUTH_[A-Z]+(?:_[A-Z]+)*|HOST|PORT|REDIS_URL|STATE_KEY|METRICS_TOKEN|SIGIL_EVENTS_TOKEN|OTEL_EXPORTER_[A-Z_]+)\b/g;
    const read = [...(await settingsCode()).matchAll(names)].map(([name]) => name);
    const example = await text('.env.example');
    const explained = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(explained.sort()).toEqual([...new Set(read)].sort());
    expect(await text('.env')).toBe(example);
    expect(await text('.gitignore')).toContain('\n.env\n');
    expect(await text('.dockerignore')).toContain('\n.env\n');
  });

  test('has a compose file that agrees with its code, its settings and its image', async () => {
    const { services } = parse(await text('compose.yaml')) as ComposeFile;
    expect(Object.keys(services)).toEqual(['server', 'redis', 'identity']);
    const { environment = {}, ports, ...server } = services['server'] ?? {};

    const code = await settingsCode();
    for (const name of Object.keys(environment)) expect(code).toMatch(new RegExp(`\\b${name}\\b`));
    expect(environment).toMatchObject({ HOST: '0.0.0.0', REDIS_URL: 'redis://redis:6379' });
    expect(environment['STATE_KEY']).toMatch(/^\$\{STATE_KEY:\?/);

    const settings = parseEnv(await text('.env'));
    const portIn = (url: string | undefined): string => new URL(url ?? '').port;
    const taken = [portIn(settings['OAUTH_RESOURCE']), portIn(settings['OAUTH_ISSUER'])];
    expect(ports).toEqual(taken.map((port) => `127.0.0.1:${port}:${port}`));
    expect(environment['PORT']).toBe(taken[0]);
    expect(await text('Dockerfile')).toContain(`EXPOSE ${taken[0]}\n`);

    expect(server).toMatchObject({ build: '.', env_file: ['.env'] });
    expect(Object.keys(server.depends_on ?? {})).toEqual(['redis']);
    const { command = [], network_mode } = services['identity'] ?? {};
    expect(network_mode).toBe('service:server');
    expect([...(await project).keys()]).toContain(command[1]);
    expect((await text('dev/identity.mjs')).includes(`host: { type`)).toBe(command.includes('--host'));
  });

  test('has a README that names scripts and files that are there, and every script', async () => {
    const readme = await text('README.md');
    const { scripts } = JSON.parse(await text('package.json')) as { scripts: Record<string, string> };
    const said = [...readme.matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script]) => script);
    expect([...new Set(said)].sort()).toEqual(['install', ...Object.keys(scripts)].sort());
    const named = [...readme.matchAll(/`((?:src|test|dev)\/[^`]*)`/g)].map(([, path = '']) => path);
    const paths = [...(await project).keys()];
    for (const path of named) expect(paths).toContainEqual(expect.stringContaining(path));
    expect(readme).not.toContain('MCP_TOKEN');
  });
});

describe.each(TEMPLATE_NAMES.flatMap((template) => UI_NAMES.slice(1).map((ui) => ({ template, ui }))))(
  'a project of $template with a view by $ui',
  ({ template, ui }) => {
    const auth = template === 'minimal' ? 'none' : 'oauth';
    const project = readTemplate(template, 'my-app', { auth, ui });
    const text = async (path: string): Promise<string> => String((await project).get(path));

    test('has its name everywhere, and nothing that belongs to our folders', async () => {
      const left = [...(await project)].filter(([, content]) => /(template|addition)-/.test(String(content)));
      expect(left.map(([path]) => path)).toEqual([]);
      expect(await text('tsconfig.json')).toBe(
        String((await readTemplate(template, 'my-app')).get('tsconfig.json')),
      );
    });

    test('depends on what its files import', async () => {
      const manifest = readManifest(await text('package.json'));
      if (!manifest) throw new Error('no manifest');
      const code = [...(await project)].filter(([path]) => /\.(tsx?|mjs|svelte)$/.test(path));
      const imported = code.flatMap(([, content]) =>
        [...String(content).matchAll(/from '((?:@[^/']+\/)?[^/'.]+)/g)].map(([, name = '']) => name),
      );
      const packages = [...new Set(imported)].filter((name) => !name.startsWith('node:'));
      expect(packages).toEqual(expect.arrayContaining(['@sigil/ui', 'vite', 'vite-plugin-singlefile']));
      expect(dependencyNames(manifest)).toEqual(expect.arrayContaining(packages));
    });

    test('has scripts that take care of the view', async () => {
      const { scripts } = JSON.parse(await text('package.json')) as { scripts: Record<string, string> };
      const building = Object.entries(scripts).filter(([, script]) => script.includes('node ui/build.mjs'));
      expect(building.map(([name]) => name)).toEqual(['dev', 'build', 'bundle', 'test']);
      expect(scripts['dev']).toContain('ui/build.mjs --watch');
      expect(scripts['typecheck']).toContain('tsc -p ui');
    });

    test('names files that are there in its pages', async () => {
      const pages = (await text('README.md')) + (await text('AGENTS.md'));
      const named = [...pages.matchAll(/`(ui\/[^`]*)`/g)].map(([, path = '']) => path);
      const paths = [...(await project).keys()];
      expect(named).toContain('ui/vite.config.mjs');
      for (const path of named) expect(paths).toContainEqual(expect.stringContaining(path));
    });
  },
);

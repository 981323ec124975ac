import { describe, expect, test } from '@jest/globals';
import { withAddition } from '../src/additions.js';
import { dependencyNames, readManifest } from '../src/package-json.js';
import { readTemplate } from '../src/templates.js';

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

  test('adds scripts and packages to the manifest, whose own win', () => {
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
      scripts: { dev: 'own', more: 'm' },
      dependencies: { a: '2', b: '1' },
      devDependencies: { d: '3' },
    });
    expect(JSON.stringify(manifest)).toContain('{"a":"2","b":"1"}');
  });

  test('begins a project with the settings of its example', () => {
    const merged = withAddition(files({}), files({ '.env.example': 'A=1\n' }));
    expect(merged.get('.env')).toBe('A=1\n');
  });
});

describe.each(['http', 'full'] as const)('a project of %s with oauth', (template) => {
  const project = readTemplate(template, 'my-app', 'oauth');
  const text = async (path: string): Promise<string> => String((await project).get(path));

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
    const code = [await text('src/auth.ts'), await text('src/runtime.ts')].join('\n');
    const read = [...code.matchAll(/\b(OAUTH_[A-Z]+(?:_[A-Z]+)*|HOST|PORT)\b/g)].map(([name]) => name);
    const example = await text('.env.example');
    const explained = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect(explained.sort()).toEqual([...new Set(read)].sort());
    expect(await text('.env')).toBe(example);
    expect(await text('.gitignore')).toContain('\n.env\n');
    expect(await text('.dockerignore')).toContain('\n.env\n');
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

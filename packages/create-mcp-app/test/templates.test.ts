import { describe, expect, test } from '@jest/globals';
import { packagesOfTemplates, readTemplate, TEMPLATE_NAMES, templateDetails } from '../src/templates.js';

describe('templates', () => {
  test('are those whose names are known, each with a description and a call', () => {
    const facts = templateDetails();
    expect(Object.keys(facts)).toEqual([...TEMPLATE_NAMES]);
    for (const { description, sample } of Object.values(facts)) {
      expect(description).not.toBe('');
      expect(sample).toEqual({ tool: expect.any(String), arguments: expect.any(Object) });
    }
  });

  test.each(TEMPLATE_NAMES)('%s takes the name of the project everywhere', async (template) => {
    const files = await readTemplate(template, 'my-app');
    const manifest = JSON.parse(String(files.get('package.json'))) as { name: string };
    expect(manifest.name).toBe('my-app');
    expect(String(files.get('src/app.ts'))).toContain(`name: 'my-app'`);
    const left = [...files].filter(([, content]) => String(content).includes(`template-${template}`));
    expect(left.map(([path]) => path)).toEqual([]);
  });

  test.each(TEMPLATE_NAMES)('%s is its sources and nothing that is made from them', async (template) => {
    const paths = [...(await readTemplate(template, 'my-app')).keys()];
    expect(paths).toEqual(expect.arrayContaining(['.gitignore', '.vscode/mcp.json', 'src/main.ts']));
    expect(paths.filter((path) => /(^|\/)(_gitignore|node_modules|dist|coverage)(\/|$)/.test(path))).toEqual(
      [],
    );
  });

  test('use packages whose names no project may have', () => {
    expect([...packagesOfTemplates()]).toEqual(
      expect.arrayContaining(['@sigil/core', 'jest', 'typescript', '@sigil/auth', 'oidc-provider']),
    );
  });
});

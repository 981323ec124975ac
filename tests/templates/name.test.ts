import { expect, test } from '@jest/globals';
import { filesOf, nameIn, read, TEMPLATES } from './template.js';

/** Where the scaffolder puts the name of the project, and how often. README.md may name it as often as it likes. */
const PLACES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  minimal: { '.vscode/mcp.json': 1, 'package.json': 1, 'src/app.ts': 1 },
  http: { '.vscode/mcp.json': 2, 'package.json': 1, 'src/app.ts': 1 },
  full: { '.vscode/mcp.json': 1, 'package.json': 1, 'src/app.ts': 1 },
};

test.each(TEMPLATES)('the name of the project stands where it belongs in %s', (template) => {
  const found = filesOf(template)
    .filter((path) => path !== 'README.md')
    .map((path) => [path, read(template, path).split(nameIn(template)).length - 1] as const)
    .filter(([, count]) => count > 0);

  expect(Object.fromEntries(found)).toEqual(PLACES[template]);
  expect(read(template, 'README.md')).toMatch(new RegExp(`^# ${nameIn(template)}\n`));
});

test.each(TEMPLATES)('no file of %s names another template, or has a placeholder', (template) => {
  const others = TEMPLATES.filter((name) => name !== template).map(nameIn);

  for (const path of filesOf(template)) {
    const text = read(template, path);
    for (const other of others) expect(text).not.toContain(other);
    expect(text).not.toMatch(/\{\{|<%/);
  }
});

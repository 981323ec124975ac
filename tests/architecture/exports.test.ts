import { dirname, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ENTRY_POINTS, entryPointsOf, filesBelow, PACKAGES, parse, read, walk } from './sources.js';

/** Names that a file exports, types marked as such. */
function exportedNames(path: string): string[] {
  const names: string[] = [];
  walk(parse(path), (node) => {
    if (!ts.isExportSpecifier(node)) return;
    const isType = node.isTypeOnly || node.parent.parent.isTypeOnly;
    names.push(`${isType ? 'type ' : ''}${node.name.getText()}`);
  });
  return names.sort();
}

test.each(ENTRY_POINTS)(
  'the public names of $specifier are what they were: a change is a decision',
  ({ source }) => {
    expect(exportedNames(source)).toMatchSnapshot();
  },
);

test.each(PACKAGES)('the entry points of %s are what they were: a change is a decision', (name) => {
  const { exports } = JSON.parse(read(`packages/${name}/package.json`)) as {
    exports: Record<string, unknown>;
  };
  expect(exports).toMatchSnapshot();
});

test.each(ENTRY_POINTS)(
  'what $specifier exports is there when it is built',
  async ({ specifier, source }) => {
    const values = exportedNames(source).filter((exported) => !exported.startsWith('type '));
    const built = (await import(specifier)) as Record<string, unknown>;
    expect(Object.keys(built).sort()).toEqual(values);
  },
);

/** The names that a file imports from outside a folder, and whence. */
function importedFromOutside(path: string, folder: string): { name: string; from: string }[] {
  const names: { name: string; from: string }[] = [];
  walk(parse(path), (node) => {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return;
    const from = posix.join(dirname(path), node.moduleSpecifier.text);
    if (from.startsWith(`${folder}/`)) return;
    walk(node, (part) => {
      if (ts.isImportSpecifier(part)) names.push({ name: (part.propertyName ?? part.name).text, from });
    });
  });
  return names;
}

test.each(['tasks', 'apps'])(
  'the extension %s is made of what @sigil/core exports, as any other is',
  (extension) => {
    const folder = `packages/core/src/extensions/${extension}`;
    const exported = entryPointsOf('core')
      .flatMap(({ source }) => exportedNames(source))
      .map((name) => name.replace('type ', ''));
    const imported = filesBelow(folder, '.ts').flatMap((path) => importedFromOutside(path, folder));
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter(({ name }) => !exported.includes(name))).toEqual([]);
  },
);

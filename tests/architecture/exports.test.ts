import { dirname, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { filesBelow, PACKAGES, parse, read, walk } from './sources.js';

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

test.each(PACKAGES)('the public names of %s are what they were: a change is a decision', (name) => {
  expect(exportedNames(`packages/${name}/src/index.ts`)).toMatchSnapshot();
});

test('the public names of @sigil/core/transport are what they were: a change is a decision', () => {
  expect(exportedNames('packages/core/src/transport/index.ts')).toMatchSnapshot();
});

test.each(PACKAGES)('the entry points of %s are what they were: a change is a decision', (name) => {
  const { exports } = JSON.parse(read(`packages/${name}/package.json`)) as {
    exports: Record<string, unknown>;
  };
  expect(exports).toMatchSnapshot();
});

test.each(['@sigil/core', '@sigil/http', '@sigil/stdio', '@sigil/skills', '@sigil/cli', 'create-mcp-app'])(
  'what %s exports is there when it is built',
  async (name) => {
    const values = exportedNames(`packages/${name.replace('@sigil/', '')}/src/index.ts`).filter(
      (exported) => !exported.startsWith('type '),
    );
    const built = (await import(name)) as Record<string, unknown>;
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
    const exported = exportedNames('packages/core/src/index.ts').map((name) => name.replace('type ', ''));
    const imported = filesBelow(folder, '.ts').flatMap((path) => importedFromOutside(path, folder));
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter(({ name }) => !exported.includes(name))).toEqual([]);
  },
);

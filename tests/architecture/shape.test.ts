import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import {
  allSources,
  ENTRY_POINTS,
  entryPointsOf,
  filesBelow,
  PACKAGES,
  parse,
  platformSourcesOf,
  read,
  sourcesOf,
  walk,
} from './sources.js';

const MOST_LINES = 700;
/** A file of fewer lines is too little to be opened by itself when one file alone imports it. */
const FEWEST_LINES = 40;

/** Small files of one importer that are read one by one: entry points, and members of a list. */
const STANDS_ALONE = /\/(index|main)\.ts$|\.d\.ts$|\/(revisions|rules)\//;

const linesOf = (text: string): number => text.split('\n').length - 1;

describe('files', () => {
  test(`have ${MOST_LINES} lines at most`, () => {
    const long = allSources().filter(({ text }) => linesOf(text) > MOST_LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test.each(PACKAGES)(
    `of %s have ${FEWEST_LINES} lines at least or several importers: others belong in their one importer`,
    (name) => {
      const sources = sourcesOf(name);
      const importersOf = (path: string): string[] =>
        sources
          .filter(({ imports }) => imports.some(({ target }) => target === path))
          .map((from) => from.path);
      const entryPoints = entryPointsOf(name).map(({ source }) => source);
      entryPoints.push(...[...platformSourcesOf(name).values()].flat());
      const small = sources
        .filter(({ path }) => !STANDS_ALONE.test(path) && !entryPoints.includes(path))
        .filter(({ text }) => linesOf(text) < FEWEST_LINES)
        .map(({ path }) => ({ path, importers: importersOf(path) }))
        .filter(({ importers }) => importers.length < 2);
      expect(small.map(({ path, importers }) => `${path} → ${importers.join()}`)).toEqual([]);
    },
  );

  test('have names in lower case with hyphens', () => {
    const odd = allSources().filter(
      ({ path }) => !/^[a-z0-9-]+(\.d)?\.ts$/.test(path.split('/').at(-1) ?? ''),
    );
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  test('have no state that a module shares: no `let` at the top', () => {
    const stateful = allSources().filter(({ path, text }) =>
      parse(path, text).statements.some(
        (statement) =>
          ts.isVariableStatement(statement) && !(statement.declarationList.flags & ts.NodeFlags.Const),
      ),
    );
    expect(stateful.map(({ path }) => path)).toEqual([]);
  });

  test('export by name: neither everything of another file nor a default', () => {
    const careless = allSources().filter(({ path, text }) =>
      parse(path, text).statements.some(
        (statement) =>
          (ts.isExportDeclaration(statement) && !statement.exportClause) || ts.isExportAssignment(statement),
      ),
    );
    expect(careless.map(({ path }) => path)).toEqual([]);
  });

  test('are where CONTRIBUTING.md says: the first of each room, and those that answer a question', () => {
    const page = read('CONTRIBUTING.md');
    const first = [...page.matchAll(/^\| `([\w-]+)` +\| \d +\| `([\w-]+\.ts)`/gm)].map(
      ([, room, file]) => `packages/core/src/${room}/${file}`,
    );
    const asked = [...page.matchAll(/\| `([\w-]+\/src\/[\w/-]+\.ts)` +\|$/gm)].map(
      ([, path]) => `packages/${path}`,
    );
    expect(first.length).toBeGreaterThan(11);
    expect(asked.length).toBeGreaterThan(9);
    const paths = new Set(allSources().map(({ path }) => path));
    expect([...first, ...asked].filter((path) => !paths.has(path))).toEqual([]);
  });

  test('silence no rule', () => {
    const silenced = allSources().filter(({ text }) =>
      /eslint-disable|@ts-ignore|@ts-nocheck|prettier-ignore/.test(text),
    );
    expect(silenced.map(({ path }) => path)).toEqual([]);
  });
});

describe('types that are published', () => {
  test.each(PACKAGES)('of %s never say any', (name) => {
    const loose = filesBelow(`packages/${name}/dist`, '.d.ts').flatMap((path) => {
      const found: string[] = [];
      walk(parse(path), (node) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(`${path}: ${node.parent.getText()}`);
      });
      return found;
    });
    expect(loose).toEqual([]);
  });

  test.each(ENTRY_POINTS)(
    'of $specifier are documented: every function and class has a comment',
    ({ source }) => {
      const wordless = exportedDeclarations(source).filter(({ documented }) => !documented);
      expect(wordless.map(({ where }) => where)).toEqual([]);
    },
  );
});

/** Functions and classes that an entry point exports by name from other files. */
function exportedDeclarations(index: string): { where: string; documented: boolean }[] {
  const found: { where: string; documented: boolean }[] = [];
  const { imports } = allSources().find(({ path }) => path === index) ?? { imports: [] };
  const names = new Set<string>();
  walk(parse(index), (node) => {
    if (ts.isExportSpecifier(node)) names.add((node.propertyName ?? node.name).getText());
  });
  for (const { target } of imports) {
    if (target === undefined) continue;
    const file = parse(target, read(target));
    const documentedNames = new Map<string, boolean>();
    for (const statement of file.statements) {
      if (!ts.isFunctionDeclaration(statement) && !ts.isClassDeclaration(statement)) continue;
      const declared = statement.name?.text ?? '';
      const documented = ts.getJSDocCommentsAndTags(statement).length > 0;
      documentedNames.set(declared, documented || (documentedNames.get(declared) ?? false));
    }
    for (const [declared, documented] of documentedNames) {
      if (names.has(declared)) found.push({ where: `${target}: ${declared}`, documented });
    }
  }
  return found;
}

import { dirname, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as classValidator from 'class-validator';
import ts from 'typescript';
import { ENTRY_POINTS, parse, walk } from './sources.js';

const TABLE = 'a table of constants: what it says stands beside each member';

const OWN = 'for the packages of this repository, without promise';

/** Public values that have no example, and why. */
const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  DEFINITION_CODES: TABLE,
  ERROR_CODES: TABLE,
  EXIT_CODES: TABLE,
  META: TABLE,
  METHODS: TABLE,
  NOTIFICATIONS: TABLE,
  PROTOCOL_VERSIONS: TABLE,
  REVISION_FEATURES: TABLE,
  LATEST_LEGACY_VERSION: 'the name of a revision',
  LATEST_VERSION: 'the name of a revision',
  MAX_DELAY_MS: 'a number',
  announceLaterApp: OWN,
  buildRecord: OWN,
  describeBuild: OWN,
  messageOf: OWN,
  prepare: OWN,
  InputRequired: 'made by inputRequired, which shows it',
  TooMuchJsonError: 'thrown by parseJson, which shows how it is caught',
};

/** The text of a comment without its stars. */
function textOf(doc: ts.JSDoc): string {
  const lines = doc
    .getText()
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n');
  return lines.map((line) => line.replace(/^\s*\* ?/, '')).join('\n');
}

/** The examples of a comment, fences and all. Fences come first: what is in them may look like a tag. */
function examplesIn(text: string): string[] {
  return [...text.matchAll(/^@example\b[^\n]*\n(```[\s\S]*?\n```|[\s\S]*?(?=\n@|$(?![\s\S])))/gm)].map(
    ([, example = '']) => example.trim(),
  );
}

/** A value that an entry point exports. */
interface PublicValue {
  readonly name: string;
  readonly examples: readonly string[];
}

/** The values that an entry point exports, with the examples of their declarations. */
function valuesOf(source: string): PublicValue[] {
  return parse(source).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (!exportClause || !ts.isNamedExports(exportClause) || !moduleSpecifier) return [];
    const from = (moduleSpecifier as ts.StringLiteral).text;
    // The other package has the example.
    if (!from.startsWith('.')) return [];
    const path = posix.join(dirname(source), from).replace(/\.js$/, '.ts');
    return exportClause.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name, propertyName }) => ({
        name: name.text,
        examples: docsOf(path, (propertyName ?? name).text).flatMap(examplesIn),
      }));
  });
}

/** The comments above what a file declares by a name: overloads have several. */
function docsOf(path: string, name: string): string[] {
  return parse(path)
    .statements.filter((statement) => declares(statement, name))
    .flatMap((statement) => ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).map(textOf));
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.some((one) => one.name.getText() === name);
  return (
    (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name?.text === name
  );
}

/** An example as a file. Members of a class, which are no program, get a class around them. */
function fileOf(example: string): ts.SourceFile {
  const code = /^```ts\n([\s\S]*)\n```$/.exec(example)?.[1] ?? 'not fenced as ts';
  const file = parse('example.ts', `${code}\nexport {};`);
  if (errorsOf(file).length === 0) return file;
  const member = parse('example.ts', `class Example {\n${code}\n}`);
  return errorsOf(member).length === 0 ? member : file;
}

function errorsOf(file: ts.SourceFile): string[] {
  const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly ts.Diagnostic[] };
  return parseDiagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** What is called, constructed or decorated with: `connect`, `content.text`, `Tool`. */
function usesOf(file: ts.SourceFile): string[] {
  const uses: string[] = [];
  const add = (used: ts.Node): void => {
    if (ts.isIdentifier(used)) uses.push(used.text);
    else if (ts.isPropertyAccessExpression(used) && ts.isIdentifier(used.expression))
      uses.push(`${used.expression.text}.${used.name.text}`);
  };
  walk(file, (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isDecorator(node)) add(node.expression);
  });
  return uses;
}

/** The names that an example gives to things of its own, and those that it imports. */
function namesIn(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  walk(file, (node) => {
    const isNamed =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isImportSpecifier(node);
    if (isNamed && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

const publicValues = ENTRY_POINTS.map(({ specifier, source }) => ({ specifier, values: valuesOf(source) }));
const examples = publicValues.flatMap(({ specifier, values }) =>
  values.flatMap(({ name, examples }) => examples.map((example) => ({ specifier, name, example }))),
);

/** What the built packages export, by name: two of them may export the same name. */
const exported = new Map<string, unknown[]>();
for (const { specifier } of ENTRY_POINTS)
  for (const [name, value] of Object.entries((await import(specifier)) as Record<string, unknown>))
    exported.set(name, [...(exported.get(name) ?? []), value]);

/** Whether something that an example uses is there: public, of the platform, or of class-validator. */
function exists(use: string): boolean {
  const [root = '', member] = use.split('.');
  const values = exported.get(root);
  if (member === undefined) return values !== undefined || root in globalThis || root in classValidator;
  // What an example calls a method of without importing it, such as `ctx`, is the reader's.
  return values?.some((value) => typeof (value as Record<string, unknown>)[member] === 'function') ?? true;
}

describe('examples', () => {
  test.each(publicValues)('stand beside everything that $specifier exports', ({ values }) => {
    const bare = values.filter(({ name, examples }) => examples.length === 0 && !(name in WITHOUT_EXAMPLE));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  test('are left out only where there is none, for a reason', () => {
    const bare = publicValues.flatMap(({ values }) => values.filter(({ examples }) => examples.length === 0));
    const names = new Set(bare.map(({ name }) => name));
    expect(Object.keys(WITHOUT_EXAMPLE).filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(examples)('of $name ($specifier) are TypeScript', ({ example }) => {
    expect(errorsOf(fileOf(example))).toEqual([]);
  });

  test.each(examples)('of $name ($specifier) use names that are there', ({ example }) => {
    const file = fileOf(example);
    const own = namesIn(file);
    const foreign = usesOf(file).filter((use) => !own.has(use.split('.')[0] ?? ''));
    expect(foreign.filter((use) => !exists(use))).toEqual([]);
  });

  test.each(examples)('of $name ($specifier) show what they stand beside', ({ name, example }) => {
    expect(example).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

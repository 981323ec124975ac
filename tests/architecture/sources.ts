import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** One import, export-from or `import()` of a source file. */
export interface Import {
  readonly specifier: string;
  /** The file it leads to, from the root of the repository; `undefined` for packages. */
  readonly target: string | undefined;
}

/** A TypeScript source of a package. */
export interface Source {
  /** From the root of the repository, with slashes: `packages/core/src/index.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** The packages that are there. */
export const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'packages')).filter((name) => {
  try {
    return statSync(join(ROOT, 'packages', name, 'src', 'index.ts')).isFile();
  } catch {
    return false;
  }
});

/** An entry point of a package, as its `exports` name it. */
export interface EntryPoint {
  /** What is imported, such as `@sigil/core/content`. */
  readonly specifier: string;
  /** Its source, from the root of the repository. */
  readonly source: string;
}

/** The entry points of a package. */
export function entryPointsOf(name: string): EntryPoint[] {
  const { name: specifier, exports } = JSON.parse(read(`packages/${name}/package.json`)) as {
    name: string;
    exports: Record<string, { '@sigil/source'?: string }>;
  };
  return Object.entries(exports).flatMap(([path, { '@sigil/source': source }]) =>
    source ? [{ specifier: posix.join(specifier, path), source: posix.join('packages', name, source) }] : [],
  );
}

/** What stands for each specifier of a package that begins with `#`, as its `imports` say: one source or several, by the platform. */
export function platformSourcesOf(name: string): ReadonlyMap<string, readonly string[]> {
  const { imports = {} } = JSON.parse(read(`packages/${name}/package.json`)) as {
    imports?: Record<string, Record<string, { '@sigil/source': string }>>;
  };
  return new Map(
    Object.entries(imports).map(([specifier, conditions]) => [
      specifier,
      [...new Set(Object.values(conditions).map((to) => posix.join('packages', name, to['@sigil/source'])))],
    ]),
  );
}

/** The entry points of all packages. */
export const ENTRY_POINTS: readonly EntryPoint[] = PACKAGES.flatMap(entryPointsOf);

const sources = new Map<string, readonly Source[]>();

/** All sources of a package, parsed once. */
export function sourcesOf(name: string): readonly Source[] {
  const known = sources.get(name) ?? filesBelow(join('packages', name, 'src'), '.ts').map(readSource);
  sources.set(name, known);
  return known;
}

/** All sources of all packages. */
export function allSources(): Source[] {
  return PACKAGES.flatMap(sourcesOf);
}

/** Paths of the files below a folder, from the root of the repository. */
export function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Parses a source. */
export function parse(path: string, text = read(path)): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
}

/** Visits every node of a source. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

function readSource(path: string): Source {
  const text = read(path);
  const imports = specifiersOf(parse(path, text)).flatMap((specifier): Import[] => {
    if (specifier.startsWith('#'))
      return (platformSourcesOf(path.split('/')[1] ?? '').get(specifier) ?? [undefined]).map((target) => ({
        specifier,
        target,
      }));
    if (!specifier.startsWith('.')) return [{ specifier, target: undefined }];
    const target = posix.join(dirname(path), specifier).replace(/\.js$/, '.ts');
    return [{ specifier, target }];
  });
  return { path, text, imports };
}

/** What a source imports, exports from, or loads by `import()`. */
export function specifiersOf(file: ts.SourceFile): string[] {
  const specifiers: string[] = [];
  walk(file, (node) => {
    const literal = moduleOf(node);
    if (literal && ts.isStringLiteralLike(literal)) specifiers.push(literal.text);
  });
  return specifiers;
}

/** What a node imports from: declarations, `import()`, and `import('…')` in types alike. */
function moduleOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  return undefined;
}

import { isBuiltin } from 'node:module';
import { isAbsolute } from 'node:path';
import { type AnyNode, parse } from 'acorn';

/*
 * What the parsed text of a program says that a bundler does not tell. The program is joined to one module already, so that names at the
 * top are different ones.
 */

/** Which exports of class-validator a program imports. */
export type ImportedRules = readonly string[] | 'all';

/** The parsed text of a program. */
export class ProgramText {
  readonly #nodes: readonly AnyNode[];

  constructor(code: string) {
    this.#nodes = [...nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))];
  }

  /**
   * What it imports of class-validator by name.
   *
   * @param specifiers what it imports it by.
   * @returns 'all' where it takes the module as a whole, such as by `import()`.
   */
  importedRules(specifiers: ReadonlySet<unknown>): ImportedRules {
    const names = new Set<string>();
    const isWanted = (node: AnyNode): boolean => node.type === 'Literal' && specifiers.has(node.value);
    for (const node of this.#nodes) {
      if (node.type === 'ImportDeclaration' && isWanted(node.source)) {
        for (const one of node.specifiers)
          if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier')
            names.add(one.imported.name);
          else return 'all';
      } else if (
        (node.type === 'ExportAllDeclaration' && isWanted(node.source)) ||
        (node.type === 'ImportExpression' && isWanted(node.source)) ||
        (node.type === 'CallExpression' && node.arguments.some(isWanted))
      )
        return 'all';
    }
    return [...names].sort();
  }

  /** The packages that it requires by functions that `createRequire()` makes, given as literal text. */
  requiredPackages(): string[] {
    const makers = this.#namesOf('createRequire');
    const makes = (node: AnyNode | null | undefined): boolean =>
      node?.type === 'CallExpression' &&
      (isNamed(node.callee, makers) || isMember(node.callee, 'createRequire'));
    const made = new Set<string>();
    for (const node of this.#nodes)
      if (node.type === 'VariableDeclarator' && makes(node.init) && node.id.type === 'Identifier')
        made.add(node.id.name);
    return this.#nodes.flatMap((node) => {
      if (node.type !== 'CallExpression' || !(isNamed(node.callee, made) || makes(node.callee))) return [];
      const [name] = node.arguments.map((one) => (one.type === 'Literal' ? one.value : undefined));
      const isPackage =
        typeof name === 'string' && /^[^.#]/.test(name) && !isAbsolute(name) && !isBuiltin(name);
      return isPackage ? [name] : [];
    });
  }

  /** The files that it runs by `new Worker(new URL('./file.js', …))`, as they are given. */
  workerFiles(): string[] {
    const names = this.#namesOf('Worker');
    return this.#nodes.flatMap((node) => {
      if (node.type !== 'NewExpression' || !isNamed(node.callee, names)) return [];
      const [url] = node.arguments;
      const [file] = url?.type === 'NewExpression' ? url.arguments : [];
      return file?.type === 'Literal' && typeof file.value === 'string' ? [file.value] : [];
    });
  }

  /** A name, and those that it is imported by. */
  #namesOf(name: string): ReadonlySet<string> {
    const names = new Set([name]);
    for (const node of this.#nodes)
      if (
        node.type === 'ImportSpecifier' &&
        node.imported.type === 'Identifier' &&
        node.imported.name === name
      )
        names.add(node.local.name);
    return names;
  }
}

function isNamed(node: AnyNode, names: ReadonlySet<string>): boolean {
  return node.type === 'Identifier' && names.has(node.name);
}

function isMember(node: AnyNode, name: string): boolean {
  return (
    node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === name
  );
}

/** A node, and all that are in it. */
function* nodesOf(root: AnyNode): Iterable<AnyNode> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    if ('type' in one && 'start' in one) yield one as AnyNode;
    for (const inner of Object.values(one)) waiting.push(inner);
  }
}

import { type AnyNode, type Node, parse } from 'acorn';

/** Which exports of a package a program imports. */
export type ImportedNames = readonly string[] | 'all';

/**
 * What an ES module imports of another one by name.
 *
 * @param specifiers what it imports it by.
 * @returns 'all' where it takes the module as a whole, such as by `import()`.
 */
export function importedNames(code: string, specifiers: ReadonlySet<unknown>): ImportedNames {
  const names = new Set<string>();
  const isWanted = (source: AnyNode | null | undefined): boolean =>
    !!source && specifiers.has(valueOf(source));
  for (const node of nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
    if (node.type === 'ImportDeclaration' && isWanted(node.source)) {
      for (const one of node.specifiers)
        if (one.type === 'ImportSpecifier') names.add(nameOf(one.imported));
        else return 'all';
    } else if (node.type === 'ExportNamedDeclaration' && isWanted(node.source)) {
      for (const one of node.specifiers) names.add(nameOf(one.local));
    } else if (
      (node.type === 'ExportAllDeclaration' && isWanted(node.source)) ||
      (node.type === 'ImportExpression' && isWanted(node.source)) ||
      (node.type === 'CallExpression' && node.arguments.some(isWanted))
    )
      return 'all';
  }
  return [...names].sort();
}

function valueOf(node: AnyNode): unknown {
  return node.type === 'Literal' ? node.value : undefined;
}

function nameOf(node: AnyNode): string {
  return node.type === 'Identifier' ? node.name : String(valueOf(node));
}

/** A node, and all that are in it. */
function* nodesOf(root: AnyNode): Iterable<AnyNode> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (Array.isArray(one)) waiting.push(...(one as unknown[]));
    else if (isNode(one)) {
      yield one as AnyNode;
      waiting.push(...(Object.values(one) as unknown[]));
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

import { type AnyNode, parse } from 'acorn';
import { nodesOf } from './references.js';

/** Which exports of class-validator a program imports. */
export type ImportedRules = readonly string[] | 'all';

/**
 * The names that a program in one module imports from class-validator: the bundler does not report them.
 *
 * @param specifiers the specifiers of class-validator in it.
 * @returns 'all' if it uses the whole module, such as by `import()`.
 */
export function importedRules(code: string, specifiers: ReadonlySet<unknown>): ImportedRules {
  const names = new Set<string>();
  const isWanted = (node: AnyNode): boolean => node.type === 'Literal' && specifiers.has(node.value);
  for (const node of nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
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

import { type AnyNode, parse } from 'acorn';
import { nodesOf } from './references.js';

/** The exports of class-validator that a program imports. */
export type ImportedRules = readonly string[] | 'all';

/**
 * Returns the names that a bundled program imports from class-validator. The bundler does not report these
 * names.
 *
 * @param specifiers the import specifiers of class-validator in the program.
 * @returns the names; `'all'` if the program uses the whole module, for example with `import()`.
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

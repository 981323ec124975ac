import ts from 'typescript';

/** What operators become, one mutation each. */
const OPERATORS = new Map([
  ['===', ['!==']],
  ['!==', ['===']],
  ['==', ['!=']],
  ['!=', ['==']],
  ['<', ['<=', '>=']],
  ['<=', ['<', '>']],
  ['>', ['>=', '<=']],
  ['>=', ['>', '<']],
  ['&&', ['||']],
  ['||', ['&&']],
  ['+', ['-']],
  ['-', ['+']],
  ['+=', ['-=']],
  ['-=', ['+=']],
  ['++', ['--']],
  ['--', ['++']],
]);

/**
 * Finds small mistakes that could be made in a source: each replaces the text from `start` to `end` by `text`.
 *
 * @param {string} source the text of a TypeScript file.
 * @param {(line: number) => boolean} isWanted tells by its number, from 1, whether a line is to be mutated.
 * @returns {{ start: number, end: number, text: string, line: number, column: number, change: string }[]}
 */
export function mutationsOf(source, isWanted) {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found = [];
  const replace = (start, end, text, change) => {
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    if (isWanted(line + 1)) found.push({ start, end, text, line: line + 1, column: character + 1, change });
  };
  const swap = (node, text) =>
    replace(node.getStart(file), node.end, text, `${node.getText(file)} becomes ${text}`);
  const visit = (node) => {
    // Types, and what stands between modules, do nothing when they run.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const text = node.operatorToken.getText(file);
      const isText = text === '+' && [node.left, node.right].some(isTextual);
      if (!isText) for (const other of OPERATORS.get(text) ?? []) swap(node.operatorToken, other);
    } else if (ts.isPrefixUnaryExpression(node)) mutatePrefix(node);
    else if (ts.isPostfixUnaryExpression(node)) {
      const text = ts.tokenToString(node.operator);
      const other = OPERATORS.get(text)[0];
      replace(node.operand.end, node.end, other, `${text} becomes ${other}`);
    } else if (ts.isNumericLiteral(node)) swap(node, String(Number(node.text) + 1));
    else if (node.kind === ts.SyntaxKind.TrueKeyword) swap(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) swap(node, 'true');
    else if (ts.isExpressionStatement(node) && isRemovable(node.expression))
      replace(node.getStart(file), node.end, ';', `without ${firstLineOf(node.getText(file))}`);
    if (ts.isFunctionLike(node) && node.body && ts.isBlock(node.body)) mutateBody(node);
    ts.forEachChild(node, visit);
  };
  const mutatePrefix = (node) => {
    const operator = ts.tokenToString(node.operator);
    const start = node.getStart(file);
    const operand = node.operand.getStart(file);
    if (operator === '!') replace(start, operand, '', `without ! of ${firstLineOf(node.getText(file))}`);
    else if (operator === '++' || operator === '--') {
      const other = OPERATORS.get(operator)[0];
      replace(start, operand, other, `${operator} becomes ${other}`);
    }
  };
  const mutateBody = (node) => {
    // Without super() an instance of a subclass is not even made.
    const isOfSubclass = ts.isConstructorDeclaration(node) && node.parent.heritageClauses;
    if (node.body.statements.length === 0 || isOfSubclass) return;
    const start = node.body.getStart(file) + 1;
    replace(start, start, ' return;', `${node.name?.getText(file) ?? 'a function'} returns at once`);
  };
  visit(file);
  return found;
}

function isTextual(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Whether a statement is a call or an assignment, which can be left out. */
function isRemovable(expression) {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression))
    return isRemovable(expression.expression);
  if (ts.isCallExpression(expression)) return expression.expression.kind !== ts.SyntaxKind.SuperKeyword;
  if (ts.isBinaryExpression(expression)) {
    const { kind } = expression.operatorToken;
    return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  }
  return ts.isPostfixUnaryExpression(expression) || ts.isDeleteExpression(expression);
}

function firstLineOf(text) {
  const [line] = text.split('\n');
  return line === text ? text : `${line} …`;
}

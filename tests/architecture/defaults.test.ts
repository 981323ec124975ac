import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { ENTRY_POINTS } from './sources.js';

/** Where a default is that no code gives to the option itself: the value of a constant, or the last argument of a call. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, constantOrCall: string]>> = {
  'AppOptions.timeoutMs': ['core/src/engine/exchange.ts', 'DEFAULT_TIMEOUT_MS'],
  'AskOptions.maxTimeoutMs': ['core/src/engine/asking/delivery.ts', 'DEFAULT_MAX_TIMEOUT_MS'],
  'MigrationOptions.schema': ['postgres/src/address.ts', 'DEFAULT_SCHEMA'],
  'PostgresLimits.maxTaskBytes': ['postgres/src/limits.ts', 'storeLimits'],
  'RedisOptions.maxTaskBytes': ['redis/src/redis-backend.ts', 'storeLimits'],
};

/** Defaults that are no values in our code, and why. */
const NO_VALUE: Readonly<Record<string, string>> = {
  'ArgOptions.optional': 'it follows from `default` and the initialiser',
  'BullmqOptions.prefix': 'BullMQ has it',
  'FactoryOptions.scope': 'it becomes a provider, which has the same',
  'TaskSupportOptions.rerun': 'it depends on the tool',
  'UpstreamOptions.grant': 'it is what is not the other one',
};

const UNITS: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  Mi: 2 ** 20,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const program = ts.createProgram(
  ENTRY_POINTS.map(({ source }) => source),
  {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    types: ['node'],
    customConditions: ['@sigil/source'],
  },
);
const checker = program.getTypeChecker();
const files = program.getSourceFiles().filter(({ fileName }) => /packages\/[\w-]+\/src\//.test(fileName));

/** What a tag says, with quantities as numbers and without explanations; `undefined` where it is words alone. */
function told(tag: string): string | undefined {
  const text = tag.replaceAll('`', '');
  const quarter = /^a quarter of \w+/.exec(text)?.[0];
  if (quarter !== undefined) return quarter;
  const literal = /^('[^']*'|true|false)(?=[:;,]|$)/.exec(text)?.[1];
  if (literal !== undefined) return literal;
  const [, digits, unit = '', rest = ''] =
    /^([\d,_]*\d)(?: (KiB|MiB|GiB|Mi|second|minute|hour|day)s?)?(?=[:;,. ]|$)(, or .*)?/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const amount = Number(digits.replaceAll(/[,_]/g, '')) * (UNITS[unit] ?? 1);
  return `${amount}${rest}`;
}

/** The value of an expression as `told` writes it; `undefined` where it is not known before the program runs. */
function valueOf(expression: ts.Expression): string | undefined {
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
    return valueOf(expression.expression);
  if (ts.isStringLiteralLike(expression)) return `'${expression.text}'`;
  if (ts.isNumericLiteral(expression)) return String(Number(expression.text));
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return 'true';
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return 'false';
  if (ts.isBinaryExpression(expression)) return productOf(expression);
  if (ts.isCallExpression(expression)) return boundOf(expression);
  if (!ts.isIdentifier(expression) && !ts.isPropertyAccessExpression(expression)) return undefined;
  const declared = declarationOf(expression);
  const isValue = declared && (ts.isVariableDeclaration(declared) || ts.isPropertyAssignment(declared));
  return isValue && declared.initializer ? valueOf(declared.initializer) : undefined;
}

function productOf({ left, right, operatorToken }: ts.BinaryExpression): string | undefined {
  const [one, other] = [Number(valueOf(left)), Number(valueOf(right))];
  if (Number.isNaN(one) || Number.isNaN(other)) return undefined;
  if (operatorToken.kind === ts.SyntaxKind.AsteriskToken) return String(one * other);
  if (operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken) return String(one ** other);
  return undefined;
}

/** `Math.ceil(x / 4)`, `Math.max(n, 4 * x)` and `Math.min(n, x)`, in words. */
function boundOf({ expression, arguments: given }: ts.CallExpression): string | undefined {
  const [first, second] = given;
  const name = expression.getText();
  if (name === 'Math.ceil' && first && ts.isBinaryExpression(first) && first.right.getText() === '4')
    return `a quarter of ${optionNamed(first.left)}`;
  const least = first && valueOf(first);
  if (least === undefined || !second) return undefined;
  if (name === 'Math.max' && ts.isBinaryExpression(second) && second.left.getText() === '4')
    return `${least}, or four times ${optionNamed(second.right)} if that is more`;
  return name === 'Math.min' ? `${least}, or ${optionNamed(second)} if that is shorter` : undefined;
}

/** The name of the option that an expression reads, also through a variable. */
function optionNamed(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  const declared = declarationOf(expression);
  const read = declared && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
  return read && ts.isBinaryExpression(read) ? optionNamed(read.left) : expression.getText();
}

function declarationOf(node: ts.Node): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  if (!symbol) return undefined;
  const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return original.valueDeclaration;
}

/** The type of what a pattern takes apart. */
function typeOf(pattern: ts.BindingPattern): ts.Type | undefined {
  const { parent } = pattern;
  if (ts.isBindingElement(parent)) {
    const name = (parent.propertyName ?? parent.name).getText();
    const member = typeOf(parent.parent)?.getProperty(name);
    return member && checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(member, parent));
  }
  const source = ts.isVariableDeclaration(parent) && !parent.type ? parent.initializer : parent;
  return source && checker.getNonNullableType(checker.getTypeAtLocation(source));
}

/** The type that an object is to have where it stands. */
function typeAround(object: ts.Expression): ts.Type | undefined {
  const type = checker.getContextualType(object);
  return type && checker.getNonNullableType(type);
}

/** The members that a node reads or fills in: where their docstrings are. */
function membersAt(node: ts.Node): readonly ts.Declaration[] {
  if (ts.isBindingElement(node))
    return typeOf(node.parent)?.getProperty((node.propertyName ?? node.name).getText())?.declarations ?? [];
  if (ts.isPropertyAssignment(node))
    return typeAround(node.parent)?.getProperty(node.name.getText())?.declarations ?? [];
  const declared = declarationOf(node);
  if (declared && ts.isBindingElement(declared)) return membersAt(declared);
  return checker.getSymbolAtLocation(node)?.declarations ?? [];
}

/** Whether an object is called so, or something is spread over it. */
function isOfDefaults({ parent, properties }: ts.ObjectLiteralExpression): boolean {
  if (ts.isVariableDeclaration(parent) && parent.name.getText().startsWith('DEFAULT')) return true;
  const last = properties.at(-1);
  return last !== undefined && ts.isSpreadAssignment(last);
}

/** The value of a constant of a file, or of the last argument that it calls a function with. */
function valueIn(path: string, name: string): string | undefined {
  const found: (string | undefined)[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer)
      found.push(valueOf(node.initializer));
    const last = ts.isCallExpression(node) && node.expression.getText() === name && node.arguments.at(-1);
    if (last) found.push(valueOf(last));
    ts.forEachChild(node, visit);
  };
  for (const file of files) if (file.fileName.endsWith(`packages/${path}`)) visit(file);
  return found.length === 1 ? found[0] : undefined;
}

/** The defaults that the code has, by the member of an interface that they are for. */
function defaultsInCode(): ReadonlyMap<ts.Declaration, ReadonlySet<string>> {
  const found = new Map<ts.Declaration, Set<string>>();
  const add = (node: ts.Node, initializer: ts.Expression): void => {
    const value = valueOf(initializer);
    if (value === undefined) return;
    for (const member of membersAt(node)) found.set(member, (found.get(member) ?? new Set()).add(value));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isBindingElement(node) && node.initializer && ts.isObjectBindingPattern(node.parent))
      add(node, node.initializer);
    if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken &&
      (ts.isIdentifier(node.left) || ts.isPropertyAccessExpression(node.left))
    )
      add(ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left, node.right);
    if (ts.isObjectLiteralExpression(node) && isOfDefaults(node))
      for (const property of node.properties)
        if (ts.isPropertyAssignment(property)) add(property, property.initializer);
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(file);
  return found;
}

function isPublic(statement: ts.Statement): statement is ts.InterfaceDeclaration {
  if (!ts.isInterfaceDeclaration(statement)) return false;
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** The members of interfaces, each with what its docstring tells of its default. */
function membersOfInterfaces(): {
  readonly name: string;
  readonly member: ts.Declaration;
  readonly tag: string | undefined;
}[] {
  return files.flatMap((file) =>
    file.statements.filter(isPublic).flatMap((owner) =>
      owner.members.map((member) => {
        const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default');
        const name = `${owner.name.text}.${member.name?.getText()}`;
        return { name, member, tag: tag && (ts.getTextOfJSDocComment(tag.comment) ?? '') };
      }),
    ),
  );
}

describe('the defaults of options', () => {
  const members = membersOfInterfaces();
  const code = defaultsInCode();

  test('are in the code as docstrings tell them', () => {
    const wrong = members.flatMap(({ name, member, tag = '' }) => {
      const value = told(tag);
      if (value === undefined || name in NO_VALUE) return [];
      const elsewhere = ELSEWHERE[name];
      const values = elsewhere ? [valueIn(...elsewhere)] : [...(code.get(member) ?? [])];
      // What is false unless it is said needs no code.
      const isThere = values.length === 1 ? values[0] === value : values.length === 0 && value === 'false';
      return isThere ? [] : [`${name}: ${value}; the code has ${values.join(' and ') || 'none'}`];
    });
    expect(wrong).toEqual([]);
  });

  test('are told by docstrings where the code has one', () => {
    const untold = members.filter(
      ({ name, member, tag }) =>
        /^\w*(?:Options|Limits)\./.test(name) &&
        tag === undefined &&
        [...(code.get(member) ?? [])].some((value) => !['false', "''"].includes(value)),
    );
    expect(
      untold.map(({ name, member }) => `${name}: ${[...(code.get(member) ?? [])].join(' and ')}`),
    ).toEqual([]);
  });

  test('are nowhere else, or no value, for good', () => {
    const names = members.filter(({ tag }) => tag !== undefined).map(({ name }) => name);
    for (const name of [...Object.keys(ELSEWHERE), ...Object.keys(NO_VALUE)]) expect(names).toContain(name);
  });
});

import { isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AnyNode, parse } from 'acorn';

/** The files and packages that a module refers to without an import statement. */
export interface References {
  /**
   * Absolute paths of files and folders that the module finds relative to its own location. The files and folders
   * possibly do not exist.
   */
  readonly files: readonly string[];
  /** Packages that the module requires with functions from `createRequire()`. */
  readonly packages: readonly string[];
}

/**
 * Finds a module's references in literal text: `new URL('./data.json', import.meta.url)`, `join(__dirname, 'views')`,
 * `createRequire(import.meta.url)('name')` and the like. Computed references are not found.
 *
 * @param code the text of the module.
 * @param path the file of the module.
 */
export function referencesOf(code: string, path: string): References {
  const module = new ModuleSyntax(code);
  const folder = dirname(path);
  const files = [
    ...module.urls().flatMap((text) => {
      const url = URL.canParse(text, pathToFileURL(path).href) && new URL(text, pathToFileURL(path));
      return url && url.protocol === 'file:' ? [fileURLToPath(url)] : [];
    }),
    ...module.ways().map((ways) => join(folder, ...ways)),
  ];
  const packages: string[] = [];
  for (const text of module.required()) {
    if (/^\.{1,2}\//.test(text)) files.push(resolve(folder, text));
    else if (!/^[.#]/.test(text) && !isAbsolute(text) && !isBuiltin(text)) packages.push(text);
  }
  return { files: files.map((file) => resolve(file)), packages };
}

/** The syntax tree of one module. */
class ModuleSyntax {
  readonly #nodes: readonly AnyNode[];
  /** The original names of renamed imports. */
  readonly #imported = new Map<string, string>();

  constructor(code: string) {
    this.#nodes = [...nodesOf(parsed(code))];
    for (const node of this.#nodes)
      if (node.type === 'ImportSpecifier' && node.imported.type === 'Identifier')
        this.#imported.set(node.local.name, node.imported.name);
  }

  /** Returns the texts in `new URL(text, import.meta.url)`. */
  urls(): string[] {
    return this.#nodes.flatMap((node) => {
      if (node.type !== 'NewExpression' || !this.#isNamed(node.callee, 'URL')) return [];
      const text = textOf(node.arguments[0]);
      return text !== undefined && this.#isOfMeta(node.arguments[1], 'url') ? [text] : [];
    });
  }

  /**
   * Returns the texts after the folder of the module: in `join(__dirname, text, …)`, in `__dirname + text`,
   * and in template strings.
   */
  ways(): string[][] {
    const folders = this.#variables((node) => this.#isFolder(node));
    const isFolder = (node: AnyNode | undefined): boolean =>
      node !== undefined && (this.#isFolder(node) || (node.type === 'Identifier' && folders.has(node.name)));
    return this.#nodes.flatMap((node) => {
      const parts =
        node.type === 'CallExpression'
          ? node.arguments
          : node.type === 'BinaryExpression' && node.operator === '+'
            ? [node.left, node.right]
            : [];
      const [first, ...others] = parts;
      const texts = others.map(textOf).filter((text) => text !== undefined);
      if (isFolder(first) && texts.length > 0 && texts.length === others.length) return [texts];
      if (node.type !== 'TemplateLiteral' || node.expressions.length !== 1) return [];
      return isFolder(node.expressions[0]) ? [[node.quasis[1]?.value.cooked ?? '']] : [];
    });
  }

  /** Returns the texts that are passed to functions from `createRequire()`. */
  required(): string[] {
    const makes = (node: AnyNode): boolean => this.#isCallOf(node, 'createRequire');
    const made = this.#variables(makes);
    return this.#nodes.flatMap((node) => {
      if (node.type !== 'CallExpression') return [];
      const { callee } = node;
      const isRequire = makes(callee) || (callee.type === 'Identifier' && made.has(callee.name));
      const text = isRequire ? textOf(node.arguments[0]) : undefined;
      return text === undefined ? [] : [text];
    });
  }

  /**
   * Whether a node is the folder of the module: `__dirname`, `import.meta.dirname`, or
   * `dirname(fileURLToPath(import.meta.url))`.
   */
  #isFolder(node: AnyNode): boolean {
    if (node.type === 'Identifier') return node.name === '__dirname';
    if (this.#isOfMeta(node, 'dirname')) return true;
    return (
      this.#isCallOf(node, 'dirname') &&
      [...nodesOf(node)].some((one) => this.#isOfMeta(one, 'url') || this.#isNamed(one, '__filename'))
    );
  }

  /** Returns the names of variables whose initial value satisfies a condition. */
  #variables(is: (node: AnyNode) => boolean): ReadonlySet<string> {
    return new Set(
      this.#nodes.flatMap((node) => {
        if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return [];
        return node.init && is(node.init) ? [node.id.name] : [];
      }),
    );
  }

  #isNamed(node: AnyNode, name: string): boolean {
    if (node.type === 'MemberExpression') return this.#isNamed(node.property, name);
    return node.type === 'Identifier' && (this.#imported.get(node.name) ?? node.name) === name;
  }

  #isCallOf(node: AnyNode, name: string): boolean {
    return node.type === 'CallExpression' && this.#isNamed(node.callee, name);
  }

  /** Whether a node is a member of `import.meta`. */
  #isOfMeta(node: AnyNode | undefined, member: string): boolean {
    return (
      node?.type === 'MemberExpression' &&
      node.object.type === 'MetaProperty' &&
      this.#isNamed(node.property, member)
    );
  }
}

/** Parses an ES or CommonJS module. @returns `undefined` for invalid code, which the bundler reports. */
function parsed(code: string): AnyNode | undefined {
  for (const sourceType of ['module', 'commonjs'] as const) {
    try {
      return parse(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true });
    } catch {
      continue;
    }
  }
  return undefined;
}

function textOf(node: AnyNode | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** Yields a node and all nodes inside it. */
export function* nodesOf(root: AnyNode | undefined): Iterable<AnyNode> {
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (isNode(one)) yield one;
    for (const inner of Object.values(one)) waiting.push(inner);
  }
}

function isNode(value: object): value is AnyNode {
  return 'type' in value && 'start' in value;
}

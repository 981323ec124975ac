import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { parse, type Source, sourcesOf, walk } from './sources.js';

const CORE = 'packages/core/src/';
const HOST_GLOBALS = new Set([
  'process',
  'console',
  'Buffer',
  'require',
  'module',
  '__dirname',
  '__filename',
  'global',
]);
const LOOKED_UP = new Set(['process', 'console', 'Buffer', 'require', 'Deno', 'Bun']);
/** Files that look for a host on `globalThis` and do without it. */
const MAY_LOOK = new Set([`${CORE}server/platform.ts`, `${CORE}protocol/base64.ts`]);

describe.each(['core', 'testing', 'otel'])('%s runs everywhere', (name) => {
  const sources = sourcesOf(name);

  test('imports nothing of Node', () => {
    const found = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('node:'))
        .map(({ specifier }) => `${path} → ${specifier}`),
    );
    expect(found).toEqual([]);
  });

  test('takes no global of a host for granted', () => {
    expect(sources.flatMap(freeHostGlobals)).toEqual([]);
  });

  test('looks for a host in the files that say so only', () => {
    expect(sources.filter(({ path }) => !MAY_LOOK.has(path)).flatMap(lookedUp)).toEqual([]);
  });
});

/** Uses of a name that no declaration in the file brings in, roughly: members and declared names do not count. */
function freeHostGlobals({ path, text }: Source): string[] {
  const found: string[] = [];
  walk(parse(path, text), (node) => {
    if (!ts.isIdentifier(node) || !HOST_GLOBALS.has(node.text)) return;
    if (isMemberName(node) || isDeclared(node)) return;
    found.push(`${path}: ${node.text}`);
  });
  return found;
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isPropertyDeclaration(parent)
  );
}

/** Whether a scope around the node declares its name. */
function isDeclared(node: ts.Identifier): boolean {
  for (let scope: ts.Node | undefined = node.parent; scope; scope = scope.parent) {
    const names = new Set<string>();
    scope.forEachChild((child) => collectNames(child, names));
    if (names.has(node.text)) return true;
  }
  return false;
}

function collectNames(node: ts.Node, names: Set<string>): void {
  if (ts.isVariableStatement(node))
    node.declarationList.declarations.forEach((one) => collectNames(one, names));
  const declares = ts.isFunctionDeclaration(node) || ts.isParameter(node) || ts.isVariableDeclaration(node);
  if (declares && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
}

/** Host globals asked for as members, as in `globalThis.process` under whatever type. */
function lookedUp({ path, text }: Source): string[] {
  const found: string[] = [];
  walk(parse(path, text), (node) => {
    if (ts.isPropertyAccessExpression(node) && LOOKED_UP.has(node.name.text))
      found.push(`${path}: ${node.name.text}`);
  });
  return found;
}

describe('protocol revisions', () => {
  const VERSION = /^20\d\d-\d\d-\d\d$/;
  const MAY_NAME = [`${CORE}engine/revisions/`, `${CORE}protocol/protocol.ts`];

  test('are named by their own files only: nobody else branches on one', () => {
    // The test client is the other side: what a client may claim depends on the revision it speaks.
    const naming = ['core', 'stdio', 'http', 'node', 'skills']
      .flatMap(sourcesOf)
      .flatMap(({ path, text }) => {
        const found: string[] = [];
        walk(parse(path, text), (node) => {
          if (ts.isStringLiteralLike(node) && VERSION.test(node.text)) found.push(`${path}: ${node.text}`);
        });
        return found;
      });
    expect(naming.filter((place) => !MAY_NAME.some((home) => place.startsWith(home)))).toEqual([]);
  });
});

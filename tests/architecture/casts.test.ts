import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { allSources, parse, walk } from './sources.js';

/** More type assertions than that are a step back: type what is asserted, or narrow it. `as const` asserts nothing. */
const MOST_ASSERTIONS = 340;
/** Those among them that go by `unknown` because the types have nothing in common. */
const MOST_BY_UNKNOWN = 7;

interface Assertion {
  readonly path: string;
  readonly isByUnknown: boolean;
}

function assertionsIn(path: string, text: string): Assertion[] {
  const found: Assertion[] = [];
  walk(parse(path, text), (node) => {
    if (!ts.isAssertionExpression(node) || ts.isConstTypeReference(node.type)) return;
    const { expression } = node;
    const isByUnknown =
      ts.isAssertionExpression(expression) && expression.type.kind === ts.SyntaxKind.UnknownKeyword;
    found.push({ path, isByUnknown });
  });
  return found;
}

const assertions = allSources().flatMap(({ path, text }) => assertionsIn(path, text));

/** How many there are by package, or room of core, so that a failure says where they have come from. */
function byRoom(found: readonly Assertion[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of found) {
    const [, name = '', , room = ''] = path.split('/');
    const key = name === 'core' ? `core/${room}` : name;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

test.each([
  ['are at most', MOST_ASSERTIONS, assertions],
  ['by way of unknown are at most', MOST_BY_UNKNOWN, assertions.filter(({ isByUnknown }) => isByUnknown)],
] as const)('type assertions in packages %s %i', (_what, most, found) => {
  expect(found.length > most ? byRoom(found) : {}).toEqual({});
});

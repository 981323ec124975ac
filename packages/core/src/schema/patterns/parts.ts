import type { AST } from '@eslint-community/regexpp';

/** All parts of alternatives, at every depth; of lookarounds themselves, but not what is in them. */
export function* partsOf(alternatives: readonly Pick<AST.Alternative, 'elements'>[]): Generator<AST.Element> {
  for (const { elements } of alternatives) for (const element of elements) yield* within(element);
}

function* within(element: AST.Element): Generator<AST.Element> {
  yield element;
  if (element.type === 'Quantifier') yield* within(element.element);
  else if (element.type === 'Group' || element.type === 'CapturingGroup')
    yield* partsOf(element.alternatives);
}

import { expect, test } from '@jest/globals';
import { allSources, PACKAGES, type Source } from './sources.js';

test.each(PACKAGES)('%s has no import cycle, type-only imports included', (name) => {
  const sources = allSources().filter(({ path }) => path.startsWith(`packages/${name}/`));
  expect(cyclesOf(sources)).toEqual([]);
});

test('packages do not depend on each other in a circle', () => {
  const edges = new Map<string, Set<string>>(PACKAGES.map((name) => [name, new Set()]));
  for (const { path, imports } of allSources()) {
    const from = path.split('/')[1] ?? '';
    for (const { specifier } of imports) {
      const to = /^@sigil\/([^/]+)/.exec(specifier)?.[1];
      if (to !== undefined) edges.get(from)?.add(to);
    }
  }
  const open = new Map(edges);
  // Whatever depends on nothing that is left is put aside; a circle stays.
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [name, targets] of open)
      if (![...targets].some((target) => open.has(target))) open.delete(name);
  }
  expect([...open.keys()]).toEqual([]);
});

/** Strongly connected components of more than one file (Tarjan), and files that import themselves. */
function cyclesOf(sources: readonly Source[]): string[][] {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.size - 1);
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path) as number, low.get(target) as number));
    }
    if (low.get(path) !== index.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1 || targets.get(path)?.includes(path)) cycles.push(component);
  };
  for (const path of targets.keys()) if (!index.has(path)) visit(path);
  return cycles;
}

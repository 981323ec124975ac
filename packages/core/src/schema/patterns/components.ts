import type { Ways } from './automaton.js';

/** All that can be reached from some nodes, themselves included. */
export function reachable(start: Iterable<number>, next: (at: number) => Iterable<number>): Set<number> {
  const reached = new Set(start);
  // A set hands out what is added while it is walked.
  for (const at of reached) for (const to of next(at)) reached.add(to);
  return reached;
}

/** The loops of a graph: sets of states, each of which leads to all others and back to itself, over states that are wanted. */
export function cyclicComponents(
  follows: readonly Ways[],
  isWanted: (state: number) => boolean,
): Set<number>[] {
  const wanted = [...follows.keys()].filter(isWanted);
  const edges = new Map(
    wanted.map((state) => [state, [...(follows[state] as Ways).keys()].filter(isWanted)]),
  );
  const back = new Map<number, number[]>(wanted.map((state) => [state, []]));
  for (const [state, nexts] of edges) for (const next of nexts) back.get(next)?.push(state);
  const components: Set<number>[] = [];
  const settled = new Set<number>();
  for (const state of wanted) {
    if (settled.has(state)) continue;
    const forth = reachable(edges.get(state) ?? [], (at) => edges.get(at) ?? []);
    if (!forth.has(state)) continue;
    const behind = reachable(back.get(state) ?? [], (at) => back.get(at) ?? []);
    const component = new Set([...forth].filter((at) => behind.has(at)));
    components.push(component);
    component.forEach((at) => settled.add(at));
  }
  return components;
}

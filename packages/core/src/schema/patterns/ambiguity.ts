import type { Automaton, Ways } from './automaton.js';
import { type CharacterSet, overlap, setOf } from './code-points.js';
import { cyclicComponents, reachable } from './components.js';

/** Comparing the states of a loop pair by pair is not worth it beyond. */
const MAX_LOOP_STATES = 80;

/**
 * How the steps of a backtracking engine grow with the length of a text: 0 when they do not, or else the exponent of the length;
 * infinite when they double with every character. It is what Weber and Seidl, "On the degree of ambiguity of finite automata",
 * found, with the exponent rounded up here and there.
 */
export function exponentOf(automaton: Automaton): number {
  const loops = cyclicComponents(automaton.follows, () => true);
  if (loops.some((loop) => isAmbiguous(loop, automaton))) return Infinity;
  const described = loops.map((loop) => ({
    loop,
    alphabet: setOf([...loop].flatMap((state) => automaton.reads[state] ?? [])),
  }));
  const known = new Map<Loop, number>();
  const longestFrom = (one: Loop): number => {
    const before = known.get(one);
    if (before !== undefined) return before;
    const others = described.filter((other) => other !== one && handsOver(one, other, automaton));
    const length = 1 + Math.max(0, ...others.map(longestFrom));
    known.set(one, length);
    return length;
  };
  return Math.max(0, ...described.map(longestFrom));
}

/** Whether a text leads around a loop in two ways. */
function isAmbiguous(loop: ReadonlySet<number>, { reads, follows }: Automaton): boolean {
  const states = [...loop];
  const within = (state: number): [number, number][] =>
    [...(follows[state] as Ways)].filter(([next]) => loop.has(next));
  if (states.some((state) => within(state).some(([, ways]) => ways > 1))) return true;
  if (states.length > MAX_LOOP_STATES) return true;
  const pair = (one: number, other: number): number => one * reads.length + other;
  const forth = new Map<number, Set<number>>();
  const back = new Map<number, Set<number>>();
  for (const one of states) {
    for (const other of states) {
      for (const [nextOne] of within(one)) {
        for (const [nextOther] of within(other)) {
          if (!overlap(reads[nextOne] as CharacterSet, reads[nextOther] as CharacterSet)) continue;
          add(forth, pair(one, other), pair(nextOne, nextOther));
          add(back, pair(nextOne, nextOther), pair(one, other));
        }
      }
    }
  }
  // Ways that part from one state and come together in one.
  const same = states.map((state) => pair(state, state));
  const parted = reachable(same, (at) => forth.get(at) ?? []);
  const reunited = reachable(same, (at) => back.get(at) ?? []);
  return [...parted].some((at) => reunited.has(at) && at % reads.length !== Math.floor(at / reads.length));
}

interface Loop {
  readonly loop: ReadonlySet<number>;
  readonly alphabet: CharacterSet;
}

/** Whether a text that both loops read may also lead from one to the other: then the place where it does is anybody's guess. */
function handsOver(one: Loop, other: Loop, { reads, follows }: Automaton): boolean {
  const isShared = (state: number): boolean => {
    const read = reads[state] as CharacterSet;
    return overlap(read, one.alphabet) && overlap(read, other.alphabet);
  };
  const around = (loop: ReadonlySet<number>): number[] =>
    cyclicComponents(follows, (state) => loop.has(state) && isShared(state)).flatMap((states) => [...states]);
  const start = around(one.loop);
  if (start.length === 0) return false;
  const reached = reachable(start, (state) => [...(follows[state] as Ways).keys()].filter(isShared));
  return around(other.loop).some((state) => reached.has(state));
}

function add(edges: Map<number, Set<number>>, from: number, to: number): void {
  const known = edges.get(from);
  if (known) known.add(to);
  else edges.set(from, new Set([to]));
}

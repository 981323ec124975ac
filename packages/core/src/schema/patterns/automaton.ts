import type { AST } from '@eslint-community/regexpp';
import type { Characters } from './characters.js';
import type { CharacterSet } from './code-points.js';
import { lastCharacter } from './flags.js';
import { isLoop } from './repetition.js';

/** More states than any sensible pattern has; analysing them would take longer than it is worth. */
const MAX_STATES = 400;

/** A state, which is a character of the pattern that was just read, to how many ways there are to it: one, or more (2). */
export type Ways = Map<number, number>;

/** The states of a pattern. Each is named by its index. */
export interface Automaton {
  /** What is read to get into each state. */
  readonly reads: CharacterSet[];
  /** The states that may follow each. */
  readonly follows: Ways[];
}

/** How a pattern is turned into states. Whatever is chosen, no way through the pattern is lost. */
export interface AutomatonOptions {
  readonly characters: Characters;
  /** Whether the engine looks for the pattern everywhere, as if something of any length came before. */
  readonly searches: boolean;
  /** Whether it reads from the right to the left, as in a lookbehind. */
  readonly backwards: boolean;
  /** Whether optional parts and alternatives count as repeated: there are too many to follow each. */
  readonly loose: boolean;
}

/** Thrown when a pattern is not worth, or not capable of, being analysed. */
export class UnanalysableError extends Error {
  override readonly name = 'UnanalysableError';
}

interface Part {
  /** Ways to read nothing: none, one, or more (2). */
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

const NOTHING: Part = { empty: 1, first: new Map(), last: new Map() };
const DEAD_END: Part = { ...NOTHING, empty: 0 };

/** Builds the automaton of Glushkov: as many states as characters in the pattern, and as many ways as the engine may try. */
export function buildAutomaton(
  alternatives: readonly AST.Alternative[],
  options: AutomatonOptions,
): Automaton {
  const builder = new AutomatonBuilder(options);
  const body = builder.oneOf(alternatives);
  if (options.searches) builder.then(builder.loop(builder.anything(), true), body);
  return builder.automaton;
}

class AutomatonBuilder {
  readonly automaton: Automaton = { reads: [], follows: [] };

  constructor(readonly options: AutomatonOptions) {}

  oneOf(alternatives: readonly AST.Alternative[]): Part {
    const parts = alternatives.map((alternative) => this.#sequence(alternative.elements));
    return parts.reduce((one, other) => ({
      empty: capped(one.empty + other.empty),
      first: joined(one.first, other.first, 1),
      last: joined(one.last, other.last, 1),
    }));
  }

  then(one: Part, other: Part): Part {
    this.#connect(one.last, other.first);
    return {
      empty: capped(one.empty * other.empty),
      first: joined(one.first, other.first, one.empty),
      last: joined(other.last, one.last, other.empty),
    };
  }

  loop(part: Part, optional: boolean): Part {
    this.#connect(part.last, part.first);
    return optional ? { ...part, empty: 1 } : part;
  }

  anything(): Part {
    return this.#state([[0, lastCharacter(this.options.characters.flags)]]);
  }

  #sequence(elements: readonly AST.Element[]): Part {
    return this.#followed(...elements.map((element) => this.#element(element)));
  }

  #element(element: AST.Element): Part {
    switch (element.type) {
      case 'Assertion':
        return this.#ends(element) ? DEAD_END : NOTHING;
      case 'Backreference':
        return this.loop(this.anything(), true);
      case 'Group':
        if (element.modifiers) throw new UnanalysableError('flags within a pattern');
        return this.#group(element.alternatives);
      case 'CapturingGroup':
        return this.#group(element.alternatives);
      case 'Quantifier':
        return this.#quantifier(element);
      default:
        return this.#state(this.options.characters.of(element));
    }
  }

  /** Whether nothing can be read after it. */
  #ends({ kind }: AST.Assertion): boolean {
    return !this.options.characters.flags.multiline && kind === (this.options.backwards ? 'start' : 'end');
  }

  #group(alternatives: readonly AST.Alternative[]): Part {
    const part = this.oneOf(alternatives);
    return this.options.loose && alternatives.length > 1 ? this.loop(part, part.empty > 0) : part;
  }

  #quantifier(quantifier: AST.Quantifier): Part {
    const { min, max, element } = quantifier;
    if (max === 0) return NOTHING;
    if (isLoop(quantifier) || (this.options.loose && min < max)) {
      const part = this.#element(element);
      // Which of the repetitions that must be are the empty ones, is anybody's guess.
      if (min > 1 && part.empty > 0) this.#connect(part.last, part.first);
      return this.loop(part, min === 0 || part.empty > 0);
    }
    const copy = (): Part => this.#element(element);
    const optional = (count: number): Part =>
      count === 0 ? NOTHING : { ...this.#followed(copy(), optional(count - 1)), empty: 1 };
    const needed = Array.from({ length: min }, copy);
    return this.#followed(...needed, optional(max - min));
  }

  /** Parts in the order they are read. */
  #followed(...parts: readonly Part[]): Part {
    const ordered = this.options.backwards ? [...parts].reverse() : parts;
    return ordered.reduce((one, other) => this.then(one, other), NOTHING);
  }

  #state(reads: CharacterSet): Part {
    const state = this.automaton.reads.length;
    if (state === MAX_STATES) throw new UnanalysableError('too many states');
    this.automaton.reads.push(reads);
    this.automaton.follows.push(new Map());
    return { empty: 0, first: new Map([[state, 1]]), last: new Map([[state, 1]]) };
  }

  #connect(from: Ways, to: Ways): void {
    for (const [state, ways] of from) {
      const follows = this.automaton.follows[state] as Ways;
      for (const [next, others] of to) follows.set(next, capped((follows.get(next) ?? 0) + ways * others));
    }
  }
}

function joined(one: Ways, other: Ways, times: number): Ways {
  const all = new Map(one);
  if (times > 0) {
    for (const [state, ways] of other) all.set(state, capped((all.get(state) ?? 0) + ways * times));
  }
  return all;
}

function capped(ways: number): number {
  return Math.min(ways, 2);
}

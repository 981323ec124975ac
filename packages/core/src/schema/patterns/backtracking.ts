import type { AST } from '@eslint-community/regexpp';
import { type Characters, type CharacterSet, overlap, setOf } from './characters.js';

/**
 * Maximum number of ways to match without loops, as a binary logarithm. More ways would take more than a few
 * milliseconds.
 */
const MAX_CHOICES = 20;
/** Maximum number of ways to match a part that is tried repeatedly, as a binary logarithm. */
const MAX_RECURRING_CHOICES = 10;
/** Maximum number of repetitions. A higher number counts as an unlimited loop. */
const MAX_COPIES = 1000;

/**
 * An upper bound for the number of steps that the native engine needs for a pattern. The bound is often too high,
 * but never too low.
 */
export interface Cost {
  /**
   * The number of steps is proportional to the text length, raised to the power of this exponent. The exponent is 0 or
   * 1 if the pattern cannot backtrack, and 2 or more if it can. The exponent is infinite if each further character can
   * double the number of steps.
   */
  readonly exponent: number;
  /**
   * The binary logarithm of a second factor of the number of steps. That factor is the number of ways to match the
   * pattern if its unlimited loops are not counted.
   */
  readonly choices: number;
}

/**
 * Estimates the number of steps that the native engine needs for a pattern.
 *
 * In most loops, the next character decides whether the loop continues. Any other loop multiplies the number of
 * steps by the length of the text. A loop that contains a choice can double the number of steps with each
 * character.
 */
export function costOf(pattern: AST.Pattern, characters: Characters): Cost {
  const isAnchored =
    !characters.flags.multiline &&
    pattern.alternatives.every(({ elements }) => elements.some(isStart) && startsFirst(elements));
  const tried: Cost = { exponent: 0, choices: 0 };
  return growth(pattern.alternatives, { characters, searches: !isAnchored, backwards: false, tried });
}

interface Setting {
  readonly characters: Characters;
  /** Whether the engine searches the whole text for the pattern. */
  readonly searches: boolean;
  /** Whether the pattern is matched from right to left, as in a lookbehind. */
  readonly backwards: boolean;
  /** The total number of attempts to match the pattern. */
  readonly tried: Cost;
}

/** The analysis of a part of a pattern. */
interface Part {
  /** The characters that the part, together with the parts after it, may begin with. */
  readonly first: CharacterSet;
  /** Whether the part may match an empty string. */
  readonly empty: boolean;
  /** The number of adjacent loops that may end at any position; infinite if a loop contains a choice. */
  readonly loose: number;
  /** Whether the part matches strings of any length. */
  readonly loops: boolean;
  /** The number of ways to match the part without its loops, as a binary logarithm. */
  readonly choices: number;
}

const HOPELESS: Omit<Part, 'first'> = { empty: false, loose: Infinity, loops: true, choices: 0 };

function growth(alternatives: readonly AST.Alternative[], setting: Setting): Cost {
  const { searches, tried } = setting;
  const { loose, loops, choices } = new Reader(setting).oneOf(alternatives, []);
  const recurs = searches || loops || loose > 0;
  const isHopeless = choices > (recurs ? MAX_RECURRING_CHOICES : MAX_CHOICES);
  const own: Cost = {
    exponent: isHopeless ? Infinity : tried.exponent + (searches ? 1 : 0) + loose + (loops ? 1 : 0),
    choices: tried.choices + choices,
  };
  const around = lookaroundsIn(alternatives).map((assertion) =>
    growth(assertion.alternatives, {
      ...setting,
      searches: false,
      backwards: assertion.kind === 'lookbehind',
      tried: !searches && isTriedOnce(assertion, alternatives) ? tried : own,
    }),
  );
  const all = [own, ...around];
  return {
    exponent: Math.max(...all.map(({ exponent }) => exponent)),
    choices: Math.max(...all.map((cost) => cost.choices)),
  };
}

/** Analyses a pattern from its end, so that the following parts are known. */
class Reader {
  /** The first characters of repeated parts. Each part is analysed once, even if it is nested deeply. */
  readonly #begins = new Map<AST.Element, CharacterSet>();

  constructor(readonly setting: Setting) {}

  /** @param follow the characters that may follow in the text. */
  oneOf(alternatives: readonly AST.Alternative[], follow: CharacterSet): Part {
    const parts = alternatives.map(({ elements }) => this.#sequence(elements, follow));
    const isClear = parts.every((part, at) =>
      parts.slice(at + 1).every((other) => !overlap(part.first, other.first)),
    );
    const ways = parts.map(({ choices }) => choices);
    return {
      first: setOf(parts.flatMap(({ first }) => first)),
      empty: parts.some(({ empty }) => empty),
      loose: Math.max(...parts.map(({ loose }) => loose)),
      loops: parts.some(({ loops }) => loops),
      choices: isClear ? Math.max(...ways) : Math.log2(ways.reduce((sum, one) => sum + 2 ** one, 0)),
    };
  }

  #sequence(elements: readonly AST.Element[], follow: CharacterSet): Part {
    let whole: Part = { first: follow, empty: true, loose: 0, loops: false, choices: 0 };
    for (const element of this.setting.backwards ? elements : [...elements].reverse()) {
      const part = this.#element(element, whole.first);
      whole = {
        first: part.first,
        empty: whole.empty && part.empty,
        loose: whole.loose + part.loose,
        loops: whole.loops || part.loops,
        choices: whole.choices + part.choices,
      };
    }
    return whole;
  }

  #element(element: AST.Element, follow: CharacterSet): Part {
    const nothing: Part = { first: follow, empty: true, loose: 0, loops: false, choices: 0 };
    const { characters, backwards } = this.setting;
    switch (element.type) {
      case 'Quantifier':
        return element.max === 0 ? nothing : this.#repeated(element, follow);
      case 'Group':
        if (element.modifiers) return { ...HOPELESS, first: characters.all };
        return this.oneOf(element.alternatives, follow);
      case 'CapturingGroup':
        return this.oneOf(element.alternatives, follow);
      case 'Assertion': {
        const isEnd = element.kind === (backwards ? 'start' : 'end') && !characters.flags.multiline;
        return isEnd ? { ...nothing, first: [] } : nothing;
      }
      case 'Backreference':
        // It may end anywhere.
        return { ...nothing, first: characters.all, loose: 1 };
      default:
        // Some classes read several characters at once.
        if (/\\q|\\p\{(?:RGI_|Basic_Emoji|Emoji_Keycap)/.test(element.raw))
          return { ...HOPELESS, first: characters.all };
        return { ...nothing, first: characters.of(element), empty: false };
    }
  }

  #repeated({ min, max, element }: AST.Quantifier, follow: CharacterSet): Part {
    const begins = this.#begins.get(element) ?? this.#element(element, []).first;
    this.#begins.set(element, begins);
    const goesOn = max > 1 ? setOf([...begins, ...follow]) : follow;
    const one = this.#element(element, goesOn);
    const isClear = min === max || !overlap(begins, follow);
    const empty = min === 0 || one.empty;
    const rest = { empty, first: empty ? setOf([...begins, ...follow]) : begins };
    const isLoop = max > MAX_COPIES || (max > 1 && (one.loops || one.loose > 0));
    if (!isLoop) {
      const ends = isClear ? 0 : Math.log2(max - min + 1);
      return { ...one, ...rest, choices: one.choices * max + ends };
    }
    if (one.empty || one.choices > 0 || one.loose > 0) return { ...HOPELESS, ...rest };
    return { ...rest, choices: 0, loose: isClear ? 0 : 1, loops: isClear || one.loops };
  }
}

/** Returns the lookarounds in alternatives at every depth, except those inside other lookarounds. */
function lookaroundsIn(alternatives: readonly AST.Alternative[]): AST.LookaroundAssertion[] {
  const within = (element: AST.Element): AST.LookaroundAssertion[] => {
    if (element.type === 'Quantifier') return within(element.element);
    if (element.type === 'Group' || element.type === 'CapturingGroup')
      return lookaroundsIn(element.alternatives);
    return element.type === 'Assertion' && (element.kind === 'lookahead' || element.kind === 'lookbehind')
      ? [element]
      : [];
  };
  return alternatives.flatMap(({ elements }) => elements.flatMap(within));
}

/** Whether only assertions precede an assertion. */
function isTriedOnce(assertion: AST.Element, alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.some(({ elements }) => {
    const at = elements.indexOf(assertion);
    return at >= 0 && elements.slice(0, at).every(({ type }) => type === 'Assertion');
  });
}

function isStart(element: AST.Element): boolean {
  return element.type === 'Assertion' && element.kind === 'start';
}

function startsFirst(elements: readonly AST.Element[]): boolean {
  return elements.slice(0, elements.findIndex(isStart)).every(({ type }) => type === 'Assertion');
}

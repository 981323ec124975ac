import { median } from './median.js';
import { ratio } from './ratio.js';
import type { Cells } from './row.js';

/** One requirement of the design's speed budget. */
export interface Budget {
  readonly text: string;
  /** Whom ours is held against. */
  readonly against?: string;
  /** Whether it holds; `undefined` when one side was not measured. */
  met(cells: Cells): boolean | undefined;
}

/** Ours reaches at least `times` what the other reaches. */
export function atLeast(times: number, other: string): Budget {
  return {
    text: `≥${times} ${other}`,
    against: other,
    met: (cells) => compare(cells, other, (value) => value >= times),
  };
}

/** Ours takes at most `times` what the other takes. */
export function atMost(times: number, other: string): Budget {
  return {
    text: `≤${times} ${other}`,
    against: other,
    met: (cells) => compare(cells, other, (value) => value <= times),
  };
}

/** Ours reaches at least this much, in the unit of the row. */
export function atLeastValue(limit: number, unit: string): Budget {
  return { text: `≥${limit} ${unit}`, met: (cells) => holdsFor(cells, (value) => value >= limit) };
}

/** Ours takes at most this much, in the unit of the row. */
export function atMostValue(limit: number, unit: string): Budget {
  return { text: `≤${limit} ${unit}`, met: (cells) => holdsFor(cells, (value) => value <= limit) };
}

function holdsFor(cells: Cells, holds: (value: number) => boolean): boolean | undefined {
  const ours = cells.get('sigil');
  if (ours?.kind !== 'measured') return undefined;
  return holds(median(ours.readings.map((reading) => reading.value)));
}

function compare(cells: Cells, other: string, holds: (value: number) => boolean): boolean | undefined {
  const value = ratio(cells.get('sigil'), cells.get(other));
  return value === undefined ? undefined : holds(value);
}

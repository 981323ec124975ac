import { median } from './median.js';
import { ratio } from './ratio.js';
import type { Cells } from './row.js';

/** One requirement that a measured value of Sigil must meet. */
export interface Budget {
  readonly text: string;
  /** The id of the contestant that Sigil is compared with. */
  readonly against?: string;
  /** Whether the requirement is met; `undefined` if Sigil or the other contestant was not measured. */
  met(cells: Cells): boolean | undefined;
}

/** Requires that the value of Sigil, divided by the value of the contestant `other`, is at least `times`. */
export function atLeast(times: number, other: string): Budget {
  return {
    text: `≥${times} ${other}`,
    against: other,
    met: (cells) => compare(cells, other, (value) => value >= times),
  };
}

/** Requires that the value of Sigil, divided by the value of the contestant `other`, is at most `times`. */
export function atMost(times: number, other: string): Budget {
  return {
    text: `≤${times} ${other}`,
    against: other,
    met: (cells) => compare(cells, other, (value) => value <= times),
  };
}

/** Requires that the value of Sigil is at least `limit`, in the unit of the row. */
export function atLeastValue(limit: number, unit: string): Budget {
  return { text: `≥${limit} ${unit}`, met: (cells) => holdsFor(cells, (value) => value >= limit) };
}

/** Requires that the value of Sigil is at most `limit`, in the unit of the row. */
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

import { toDate } from './rule-check.js';

/** Turns a checked JSON value into what a handler receives. */
export interface Maker {
  make(value: unknown): unknown;
}

/** Reads a date as it travels in JSON. */
export const dateMaker: Maker = { make: toDate };

/** Reads an integer of any size. */
export const bigintMaker: Maker = {
  make: (value) => (typeof value === 'string' || typeof value === 'number' ? BigInt(value) : value),
};

/** Applies a maker to each element; anything but an array is left alone. */
export function listMaker(one: Maker): Maker {
  return { make: (value) => (Array.isArray(value) ? value.map((element) => one.make(element)) : value) };
}

/** Turns a checked JSON value into what a handler receives. */
export interface Maker {
  make(value: unknown): unknown;
}

/** Applies a maker to each element; anything but an array is left alone. */
export function listMaker(one: Maker): Maker {
  return { make: (value) => (Array.isArray(value) ? value.map((element) => one.make(element)) : value) };
}

/** Makes a Set of an array. @param one makes each element, when they are not taken as they are. */
export function setMaker(one: Maker | undefined): Maker {
  return {
    make: (value) =>
      Array.isArray(value) ? new Set(one ? value.map((element) => one.make(element)) : value) : value,
  };
}

/** Makes a Map of an object. @param one makes each value, when they are not taken as they are. */
export function mapMaker(one: Maker | undefined): Maker {
  return {
    make(value) {
      if (typeof value !== 'object' || value === null || value instanceof Map) return value;
      return new Map(
        Object.entries(value).map(([key, member]) => [key, one ? one.make(member) : (member as unknown)]),
      );
    },
  };
}

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

/** What happens to one property of an argument object. */
export interface ArgumentField {
  readonly name: string;
  readonly maker: Maker | undefined;
  /** Makes the value that stands in for a missing one. */
  readonly fallback: (() => unknown) | undefined;
}

/**
 * Makes argument objects from checked values: converts some properties and adds defaults.
 * @returns undefined when there is nothing to do, so that a checked value can be passed on as it is.
 */
export function objectMaker(all: readonly ArgumentField[]): Maker | undefined {
  const fields = all.filter(({ maker, fallback }) => maker !== undefined || fallback !== undefined);
  if (fields.length === 0) return undefined;
  return {
    make(value) {
      const made = { ...(value as Record<string, unknown>) };
      for (const { name, maker, fallback } of fields) {
        if (!Object.hasOwn(made, name)) {
          if (fallback) made[name] = fallback();
        } else if (maker) made[name] = maker.make(made[name]);
      }
      return made;
    },
  };
}

/** Gives a default, a new one each time when handlers could change it. */
export function fallbackFor(value: unknown): () => unknown {
  if (typeof value !== 'object' || value === null) return () => value;
  const json = JSON.stringify(value);
  return () => JSON.parse(json) as unknown;
}

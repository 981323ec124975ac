/** Turns a checked JSON value into what a handler receives. */
export interface Instantiator {
  make(value: unknown): unknown;
}

/** Applies an instantiator to each element; anything but an array is left alone. */
export function listInstantiator(one: Instantiator): Instantiator {
  return { make: (value) => (Array.isArray(value) ? value.map((element) => one.make(element)) : value) };
}

/** Makes a Set of an array. @param one makes each element, when they are not taken as they are. */
export function setInstantiator(one: Instantiator | undefined): Instantiator {
  return {
    make: (value) =>
      Array.isArray(value) ? new Set(one ? value.map((element) => one.make(element)) : value) : value,
  };
}

/** Makes a Map of an object. @param one makes each value, when they are not taken as they are. */
export function mapInstantiator(one: Instantiator | undefined): Instantiator {
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
  readonly instantiator: Instantiator | undefined;
  /** Makes the value that stands in for a missing one. */
  readonly fallback: (() => unknown) | undefined;
}

/**
 * Makes argument objects from checked values: converts some properties and adds defaults.
 * @returns undefined when there is nothing to do, so that a checked value can be passed on as it is.
 */
export function objectInstantiator(all: readonly ArgumentField[]): Instantiator | undefined {
  const fields = all.filter(
    ({ instantiator, fallback }) => instantiator !== undefined || fallback !== undefined,
  );
  if (fields.length === 0) return undefined;
  return {
    make(value) {
      const made = { ...(value as Record<string, unknown>) };
      for (const { name, instantiator, fallback } of fields) {
        if (!Object.hasOwn(made, name)) {
          if (fallback) made[name] = fallback();
        } else if (instantiator) made[name] = instantiator.make(made[name]);
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

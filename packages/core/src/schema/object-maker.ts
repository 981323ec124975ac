import type { Maker } from './makers.js';

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

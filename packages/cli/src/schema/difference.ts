/** The effect of a schema difference on accepted values. */
export type Effect =
  /** Fewer values than before. */
  | 'narrower'
  /** More values than before. */
  | 'wider'
  /** Other values than before, or an unknown effect. */
  | 'other'
  | 'property added'
  | 'required property added'
  | 'property removed'
  | 'required property removed'
  /** The same values, described in another way. */
  | 'wording';

/** One difference between two schemas. */
export interface Difference {
  readonly effect: Effect;
  /** The path from the root of the schema, such as `lines[].sku`; empty for the root itself. */
  readonly path: string;
  readonly what: string;
}

/** Reports a difference. */
export type Report = (effect: Effect, what: string) => void;

/** Returns a value as text for messages. */
export function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

/** What a change does to clients: some of them fail, none of them fails, or nothing but words has changed. */
export type ChangeLevel = 'breaking' | 'additive' | 'wording';

/** One change of a contract. */
export interface Change {
  readonly level: ChangeLevel;
  /** What changed, such as `tool check_inventory`, or `server`. */
  readonly where: string;
  /** The place within it, such as `input.sku`; empty for the whole. */
  readonly path: string;
  readonly what: string;
}

/** Every level, the gravest first. */
export const CHANGE_LEVELS: readonly ChangeLevel[] = ['breaking', 'additive', 'wording'];

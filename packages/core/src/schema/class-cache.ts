import type { Constructor } from '../protocol/constructor.js';

/** A class with the groups of rules that apply to it. */
export interface ClassUse {
  readonly cls: Constructor;
  readonly groups?: readonly string[];
}

/** Keeps something for each class and each set of groups. */
export class ClassCache<T> {
  readonly #ungrouped = new Map<Constructor, T>();
  readonly #grouped = new Map<Constructor, Map<string, T>>();

  get({ cls, groups = [] }: ClassUse): T | undefined {
    return groups.length === 0 ? this.#ungrouped.get(cls) : this.#grouped.get(cls)?.get(keyOf(groups));
  }

  set({ cls, groups = [] }: ClassUse, value: T): void {
    if (groups.length === 0) {
      this.#ungrouped.set(cls, value);
      return;
    }
    const ofClass = this.#grouped.get(cls) ?? new Map<string, T>();
    this.#grouped.set(cls, ofClass.set(keyOf(groups), value));
  }
}

/** The same for the same groups in any order. */
function keyOf(groups: readonly string[]): string {
  return JSON.stringify([...groups].sort());
}

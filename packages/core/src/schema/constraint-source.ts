import type { Constructor } from '../protocol/constructor.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { Constraint } from './rule-check.js';
import type { RegisteredConstraint } from './rule-metadata.js';

/** Makes an instance of a constraint class; undefined leaves that to class-validator. */
export type MakeConstraint = (cls: Constructor) => unknown;

/** Makes the constraints of authors, one instance of a class for each app. class-validator's own container serves the whole process. */
export class ConstraintSource {
  readonly #make: MakeConstraint | undefined;
  readonly #made = new Map<Constructor, Constraint>();
  readonly #found = new Map<Constructor, RegisteredConstraint>();

  constructor(make?: MakeConstraint) {
    this.#make = make;
  }

  /** Takes note of a constraint that a property has. */
  add(registered: RegisteredConstraint): void {
    this.#found.set(registered.target as Constructor, registered);
  }

  /** The constraint classes of authors, as far as DTO classes with them have been read. */
  get classes(): readonly Constructor[] {
    return [...this.#found.keys()];
  }

  /** Makes them, so that what one lacks shows at start. @throws whatever making one throws. */
  makeAll(): void {
    for (const registered of this.#found.values()) this.get(registered);
  }

  /** @throws whatever making it throws, and TypeError when it is only promised. */
  get(registered: RegisteredConstraint): Constraint {
    const cls = registered.target as Constructor;
    const known = this.#made.get(cls);
    if (known) return known;
    const made = this.#make?.(cls) ?? registered.instance;
    if (isPromise(made))
      throw new TypeError(`the container promises a ${cls.name}; constraints must be made at once`);
    this.#made.set(cls, made as Constraint);
    return made as Constraint;
  }
}

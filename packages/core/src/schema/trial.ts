import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { Condition } from './bound-rule.js';
import { describeValue } from './describe-value.js';
import { InvalidValueError, type Issue } from './invalid-value-error.js';
import type { ConstraintCheck } from './rule-check.js';

/** What a rule is run on. */
export interface Subject {
  /** Where the judged value is, such as `warehouses[0].code`. */
  readonly path: string;
  readonly value: unknown;
  /** The instance whose property it is. */
  readonly object: object;
  /** The value of that property, of which the judged value may be an element. */
  readonly whole: unknown;
}

/** One run of rules over a made value: what failed, and what asynchronous rules have still to decide. */
export class Trial {
  readonly #issues: Issue[] = [];
  readonly #pending: Promise<void>[] = [];

  /** Runs a rule. One that throws or rejects is not satisfied. */
  run(check: ConstraintCheck, subject: Subject): void {
    const judged = attempt(() => check.judge(subject.value, subject.object, subject.whole));
    if (!isThenable(judged)) {
      if (!judged) this.#fail(check, subject);
      return;
    }
    const decided = Promise.resolve(judged).then(Boolean, () => false);
    this.#pending.push(decided.then((accepted) => (accepted ? undefined : this.#fail(check, subject))));
  }

  /** Whether conditions hold. One that throws counts as a rule that is not satisfied. */
  holds(conditions: readonly Condition[], object: object, value: unknown, path: string): boolean {
    try {
      return conditions.every((condition) => condition(object, value));
    } catch {
      this.refuse(path, 'a value that its conditions can judge', value);
      return false;
    }
  }

  /** Records that a value is not what it must be whatever the rules say. */
  refuse(path: string, expected: string, value: unknown): void {
    const received = describeValue(value);
    const text = `expected ${expected}; received ${received}`;
    this.#issues.push({ path, expected, received, message: path === '' ? text : `${path}: ${text}` });
  }

  /** Waits for asynchronous rules, if there are any. @throws InvalidValueError when any rule is not satisfied. */
  settle(): MaybePromise<void> {
    if (this.#pending.length === 0) return this.#conclude();
    return Promise.all(this.#pending).then(() => this.#conclude());
  }

  #fail(check: ConstraintCheck, { path, value, object }: Subject): void {
    const expected = check.explain(value, object);
    const received = describeValue(value);
    this.#issues.push({ path, expected, received, message: `${path}: ${expected}; received ${received}` });
  }

  #conclude(): void {
    if (this.#issues.length > 0) throw new InvalidValueError(this.#issues);
  }
}

/** What a function of the author returns; false when it throws. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return false;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

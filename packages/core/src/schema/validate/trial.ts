import type { MaybePromise } from '../../protocol/maybe-promise.js';
import type { Condition } from '../dto/bound-rule.js';
import type { ConstraintCheck } from '../dto/rule-check.js';
import { describeValue } from './describe-value.js';
import { DtoFunctionError, InvalidValueError, type Issue } from './errors.js';

/** What a rule is run on. */
interface Subject {
  /** Where the judged value is, such as `warehouses[0].code`. */
  readonly path: string;
  readonly value: unknown;
  /** The instance whose property it is. */
  readonly object: object;
  /** The value of that property, of which the judged value may be an element. */
  readonly whole: unknown;
}

/** A property that conditions are about. */
interface Judged {
  readonly name: string;
  readonly path: string;
  /** The instance that has it. */
  readonly object: object;
  readonly value: unknown;
}

/** What a function of an author threw, and at which path. */
interface Thrown {
  readonly path: string;
  readonly error: DtoFunctionError;
}

/** One run of rules over a made value: what failed, and what asynchronous rules have still to decide. */
export class Trial {
  readonly #issues: Issue[] = [];
  readonly #thrown: Thrown[] = [];
  readonly #pending: Promise<void>[] = [];

  /** Runs a rule. */
  run(check: ConstraintCheck, subject: Subject): void {
    let judged: unknown;
    try {
      judged = check.judge(subject.value, subject.object, subject.whole);
    } catch (error) {
      return this.#threw(check, subject, error);
    }
    if (!isThenable(judged)) {
      if (!judged) this.#fail(check, subject);
      return;
    }
    const decided = Promise.resolve(judged).then(
      (accepted) => (accepted ? undefined : this.#fail(check, subject)),
      (error: unknown) => this.#threw(check, subject, error),
    );
    this.#pending.push(decided);
  }

  /** Whether conditions hold; none of them does when one throws. */
  holds(conditions: readonly Condition[], { name, path, object, value }: Judged): boolean {
    try {
      return conditions.every((condition) => condition(object, value));
    } catch (cause) {
      const error = new DtoFunctionError(`${object.constructor.name}.${name}`, 'a condition', cause);
      this.#thrown.push({ path, error });
      return false;
    }
  }

  /** Records that a value is not what it must be whatever the rules say. */
  refuse(path: string, expected: string, value: unknown): void {
    const received = describeValue(value);
    const text = `expected ${expected}; received ${received}`;
    this.#issues.push({ path, expected, received, message: path === '' ? text : `${path}: ${text}` });
  }

  /**
   * Waits for asynchronous rules, if there are any.
   * @throws InvalidValueError when any rule is not satisfied.
   * @throws DtoFunctionError when a function of the author threw, and no rule refuses what it was given.
   */
  settle(): MaybePromise<void> {
    if (this.#pending.length === 0) return this.#conclude();
    return Promise.all(this.#pending).then(() => this.#conclude());
  }

  #fail(check: ConstraintCheck, { path, value, object }: Subject): void {
    const expected = check.explain(value, object);
    const received = describeValue(value);
    this.#issues.push({ path, expected, received, message: `${path}: ${expected}; received ${received}` });
  }

  /** Rules of class-validator throw on some values that they should refuse. */
  #threw(check: ConstraintCheck, subject: Subject, cause: unknown): void {
    if (check.authoredFor === undefined) return this.#fail(check, subject);
    this.#thrown.push({
      path: subject.path,
      error: new DtoFunctionError(check.authoredFor, 'a constraint', cause),
    });
  }

  #conclude(): void {
    // A constraint may rely on the rules beside it: what they refuse it need not be able to judge.
    const unexplained = this.#thrown.find(
      ({ path }) => !this.#issues.some((issue) => isAt(issue.path, path)),
    );
    if (unexplained) throw unexplained.error;
    if (this.#issues.length > 0) throw new InvalidValueError(this.#issues);
  }
}

/** Whether a path is another, or leads into it. */
function isAt(path: string, other: string): boolean {
  return path === other || (path.startsWith(other) && /^[.[]/.test(path.slice(other.length)));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

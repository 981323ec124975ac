import { applied, checksOf, every, type Check, type Keyword } from './keyword.js';

const SCHEMA = ['object', 'boolean'] as const;

/** Schemas that are applied to the value itself. */
export const LOGIC: readonly Keyword[] = [
  {
    name: 'not',
    takes: SCHEMA,
    compile(at) {
      const check = at.document.check(at.value);
      return (value, run) => !run.ask(check, value) || run.fail(at, value);
    },
  },
  {
    name: 'anyOf',
    takes: ['array'],
    compile(at) {
      const checks = checksOf(at);
      return (value, run, seen) => {
        const before = run.violations.length;
        let isRight = false;
        for (const check of checks) {
          isRight = applied(check, value, run, seen, 'try') || isRight;
          if (isRight && !seen) break;
        }
        if (!isRight) return run.fail(at, value);
        run.forget(before);
        return true;
      };
    },
  },
  {
    name: 'oneOf',
    takes: ['array'],
    compile(at) {
      const checks = checksOf(at);
      return (value, run, seen) => {
        const before = run.violations.length;
        const passing: number[] = [];
        for (let index = 0; index < checks.length && passing.length < 2; index++)
          if (applied(checks[index] as Check, value, run, seen, 'try')) passing.push(index);
        if (passing.length !== 1)
          return run.fail(at, value, { passingSchemas: passing.length === 0 ? null : passing });
        run.forget(before);
        return true;
      };
    },
  },
  {
    name: 'allOf',
    takes: ['array'],
    compile(at) {
      const checks = checksOf(at);
      return (value, run, seen) => every(checks, run, (check) => applied(check, value, run, seen));
    },
  },
  {
    name: 'if',
    takes: SCHEMA,
    compile(at) {
      const { schema, document, value: condition } = at;
      const clause = (name: 'then' | 'else'): Check | undefined =>
        schema[name] === undefined ? undefined : document.check(schema[name]);
      const [check, then, otherwise] = [document.check(condition), clause('then'), clause('else')];
      return (value, run, seen) => {
        if (!then && !otherwise && !seen) return true;
        const name = applied(check, value, run, seen, 'ask') ? 'then' : 'else';
        const wanted = name === 'then' ? then : otherwise;
        if (!wanted || applied(wanted, value, run, seen)) return true;
        if (!run.ended) run.fail(at, value, { failingKeyword: name }, `must match "${name}" schema`);
        return false;
      };
    },
  },
  { name: 'then', takes: SCHEMA, compile: () => undefined },
  { name: 'else', takes: SCHEMA, compile: () => undefined },
];

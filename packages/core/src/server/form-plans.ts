import { DefinitionError, type Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { SchemaCompiler, ValuePlan } from '../schema/index.js';

/** Plans the forms that handlers show to users, each once. */
export function formPlans(schemas: SchemaCompiler): (form: Constructor | JsonSchema) => ValuePlan {
  const plans = new WeakMap<object, ValuePlan>();
  return (form) => {
    const known = plans.get(form);
    if (known) return known;
    const problems: Problem[] = [];
    const source =
      typeof form === 'function'
        ? ({ kind: 'class', cls: form } as const)
        : ({ kind: 'schema', schema: form } as const);
    const plan = schemas.input(source, 'ctx.elicit()', problems);
    if (problems.length > 0) throw new DefinitionError(problems);
    plans.set(form, plan);
    return plan;
  };
}

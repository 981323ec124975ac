import type { FormLike } from '../context/questions.js';
import { unshowable } from '../engine/asking/question-codec.js';
import { DefinitionError, type Problem } from '../errors/definition-error.js';
import { explicitSource } from '../registry/parameters.js';
import type { SchemaCompiler, ValuePlan } from '../schema/index.js';

/** Schemas written in place are new objects each time, so they are known by their text; so many are remembered. */
const MAX_REMEMBERED = 256;
const WHERE = 'elicit()';

/**
 * Plans the forms that handlers show to users, each once.
 *
 * @throws DefinitionError when a form is nothing a client can show.
 */
export function formPlans(schemas: SchemaCompiler): (form: FormLike) => ValuePlan {
  const plans = new Map<object | string, ValuePlan>();
  return (form) => {
    const source = explicitSource(form);
    const key = source.kind === 'schema' ? JSON.stringify(form) : form;
    const known = plans.get(key);
    if (known) return known;
    const problems: Problem[] = [];
    const plan = schemas.input(source, WHERE, problems);
    for (const property of unshowable(plan.advertised)) problems.push(notFlat(property));
    if (problems.length > 0) throw new DefinitionError(problems);
    if (plans.size >= MAX_REMEMBERED) plans.delete(plans.keys().next().value ?? key);
    plans.set(key, plan);
    return plan;
  };
}

function notFlat(property: string): Problem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where: WHERE,
    what: `no client can show the property '${property}' of the form`,
    fix: 'forms are flat: strings, numbers, booleans, choices, and lists of choices',
  };
}

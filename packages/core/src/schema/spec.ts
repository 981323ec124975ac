import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { JsonSchema } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ClassSupport } from './classes.js';
import { type ArgumentPlan, planArgument } from './describe/argument-schema.js';
import { listMaker, type Maker, objectMaker } from './instantiate/makers.js';
import { readHandWritten } from './json-schema/hand-written.js';
import type { Direction, PropertyDeclaration } from './source.js';
import type { Dialect } from './validate/ajv.js';
import { joinPath } from './validate/describe-value.js';
import type { Residual } from './validate/residual.js';
import { Trial } from './validate/trial.js';

/** Runs the rules a schema cannot hold, on what was made from a value. @throws InvalidValueError or DtoFunctionError (or rejects). */
type Judge = (made: unknown) => MaybePromise<void>;

/** Everything a plan is built from, whatever its source. */
export interface Blueprint {
  readonly shown: JsonSchema;
  readonly enforced: JsonSchema;
  readonly dialect: Dialect;
  readonly isolated: boolean;
  /** Makes what the handler receives; undefined when that is the value itself. */
  readonly maker?: Maker | undefined;
  readonly judge?: Judge | undefined;
  /** Writes instances, where class-transformer's decorators say how. */
  readonly toPlain?: ((value: unknown) => unknown) | undefined;
  readonly cls?: Constructor;
}

/** What a blueprint may draw on while it is made. */
export interface Workshop {
  readonly direction: Direction;
  readonly classes: ClassSupport | undefined;
  readonly where: string;
  readonly problems: Problem[];
}

const OWN = { dialect: '2020-12', isolated: false } as const;

/** The blueprint of an instance of a class, or of an array of them. */
export function classBlueprint(cls: Constructor, list: boolean, classes: ClassSupport): Blueprint {
  const one = classes.maker(cls);
  const residual = classes.residual(cls);
  const rest = {
    ...OWN,
    cls,
    judge: residual && judgeOf([['', residual]]),
    toPlain: classes.survey(cls).transformed
      ? (value: unknown): unknown => classes.toPlain(cls, value)
      : undefined,
  };
  if (!list) return { ...classes.attach(classes.root(cls)), ...rest, maker: one };
  const array = { type: 'array', items: classes.reference(cls) };
  return { ...classes.attach({ shown: array, enforced: array }), ...rest, maker: listMaker(one) };
}

/** The blueprint of an object made of single arguments. */
export function argumentsBlueprint(
  declared: readonly PropertyDeclaration[],
  workshop: Workshop,
): Blueprint | undefined {
  const { classes, where, problems } = workshop;
  const before = problems.length;
  for (const { name } of declared) if (name === '__proto__') problems.push(reservedName(name, where));
  const plans = declared.map((one) => planArgument(one, classes, where, problems));
  const complete = plans.filter((plan): plan is ArgumentPlan => plan !== undefined);
  if (problems.length > before) return undefined;
  const isInput = workshop.direction === 'input';
  const required = declared
    .filter((one) => one.required && !(isInput && one.keywords?.['default'] !== undefined))
    .map(({ name }) => name);
  const rest = {
    ...(required.length > 0 && { required }),
    ...(isInput && { additionalProperties: false }),
  };
  const object = (side: 'shown' | 'enforced'): JsonSchema => {
    const properties = Object.fromEntries(complete.map(({ schemas, field }) => [field.name, schemas[side]]));
    return { type: 'object', properties, ...rest };
  };
  const pair = { shown: object('shown'), enforced: object('enforced') };
  const residuals = complete.flatMap(({ cls, field }) => {
    const residual = cls && classes?.residual(cls);
    return residual ? [[field.name, residual] as const] : [];
  });
  return {
    ...(classes ? classes.attach(pair) : pair),
    ...OWN,
    maker: objectMaker(complete.map(({ field }) => field)),
    judge: residuals.length > 0 ? judgeOf(residuals) : undefined,
  };
}

/** The blueprint of a schema written by hand. */
export function handWrittenBlueprint(schema: JsonSchema, workshop: Workshop): Blueprint | undefined {
  const { direction, where, problems } = workshop;
  const known = readHandWritten(schema, direction === 'input', where, problems);
  return known && { shown: schema, enforced: schema, ...known };
}

/** @param residuals what runs on the value itself (of the name ""), or on properties of it. */
function judgeOf(residuals: readonly (readonly [name: string, residual: Residual])[]): Judge {
  return (made) => {
    const trial = new Trial();
    for (const [name, residual] of residuals) {
      const value = name === '' ? made : (made as Record<string, unknown>)[name];
      if (Array.isArray(value))
        value.forEach((one, index) => residual.run(one, joinPath(name, String(index), true), trial));
      else residual.run(value, name, trial);
    }
    return trial.settle();
  };
}

function reservedName(name: string, where: string): Problem {
  return {
    code: 'SIGIL_INVALID_SCHEMA',
    where,
    what: `an argument is named "${name}", which JavaScript reserves`,
    fix: 'choose another name for the argument',
  };
}

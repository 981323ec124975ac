import type { DefinitionProblem } from '../errors/errors.js';
import type { UnknownProperties } from '../metadata/definitions.js';
import { DESIGN, read } from '../metadata/keys.js';
import { annotationsOf } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { HEADER_KEYWORD } from '../protocol/descriptors.js';
import { quickDigest } from '../protocol/digest.js';
import { isObject, type JsonSchema } from '../protocol/json.js';
import { leftOut } from '../protocol/left-out.js';
import { BoundRule, safeConstraint, setRules } from './dto/bound-rule.js';
import {
  type RuleMetadata,
  ruleStorage,
  type RuleStorage,
  targetRules,
  type TransformerStorage,
} from './dto/class-libraries.js';
import { normaliseType } from './dto/declared-type.js';
import { loadTypes } from './dto/load-libraries.js';
import { annotationKeywords } from './describe/describe.js';
import { orNull } from './describe/merge-keywords.js';
import { formCalled } from './describe/wire-form.js';
import { InstancePlan } from './instantiate/instantiate.js';
import {
  fallbackFor,
  type Instantiator,
  listInstantiator,
  mapInstantiator,
  objectInstantiator,
  setInstantiator,
} from './instantiate/instantiators.js';
import { type FieldData, type MakeData, planKey, type PreparedPlan, type RuleData } from './plan-data.js';
import {
  InputPlan,
  OutputPlan,
  PlanCompiler,
  type SchemaCompiler,
  type ValuePlan,
  type ValueSource,
} from './plans.js';
import type { PatternPool } from './patterns/patterns.js';
import type { Direction, SchemaSource } from './source.js';
import type { SchemaSpec } from './spec.js';
import { standardCheck } from './standard-plan.js';
import { Validator, ValidatorPool } from './validate/validate.js';

/**
 * Makes what gives the plans that were made when a program was built, and no others. Called by the file that `sigil build` writes.
 *
 * @param plans as they stand in the file.
 * @example
 * ```ts
 * const schemas = await preparedSchemas([]);
 * ```
 */
export async function preparedSchemas(plans: readonly PreparedPlan[]): Promise<SchemaCompiler> {
  const isTyped = plans.some(({ classes = [] }) => classes.some(({ of }) => of !== undefined));
  return new PreparedSchemas(plans, isTyped ? await loadTypes() : undefined);
}

class PreparedSchemas extends PlanCompiler {
  readonly constraints: readonly Constructor[] = [];
  readonly #plans = new Map<string, PreparedPlan>();

  constructor(
    plans: readonly PreparedPlan[],
    readonly types: TransformerStorage | undefined,
  ) {
    super(new ValidatorPool());
    for (const plan of plans) for (const key of plan.for) this.#plans.set(key, plan);
  }

  makeConstraints(): void {
    // Plans with constraints of authors are not prepared.
  }

  protected plan(
    source: ValueSource,
    direction: Direction,
    where: string,
    _problems: DefinitionProblem[],
    unknown: UnknownProperties,
  ): ValuePlan {
    const data = this.#plans.get(planKey(direction, where, unknown));
    // A schema may be made of what comes with the first request.
    const isOther =
      source.kind === 'schema' &&
      JSON.stringify(source.schema) !== JSON.stringify(data && enforcedIn(data, data.shown));
    if (!data || isOther)
      throw leftOut(`what describes ${where}, which was not there, or another, when the file was built,`);
    if (source.kind === 'standard') return standardCheck(source.schema, direction, data.shown);
    // At once, so that an app whose classes are others than when it was built is not made.
    const maker = new PlanMaker(data, source, where, this.types, this.pool.patterns);
    return this.deferred(data.mirrored, () => maker.plan(direction, where, this.pool));
  }
}

/** Makes one plan of its data. */
class PlanMaker {
  readonly #classes: Constructor[] = [];
  readonly #instances = new Map<number, Instantiator>();

  constructor(
    readonly data: PreparedPlan,
    source: SchemaSource,
    where: string,
    readonly types: TransformerStorage | undefined,
    readonly patterns: PatternPool,
  ) {
    if (declarationDigest(source) !== data.declared)
      throw leftOut(`what describes the arguments of ${where}, which were others when the file was built,`);
    for (const { name, of, property = '', said } of data.classes ?? []) {
      const cls = of === undefined ? rootClass(source, property) : heldBy(this.#classes[of], property, types);
      if (cls?.name !== name || ruleDigest(cls) !== said)
        throw leftOut(
          `what describes the class ${name} of ${where}, which was another when the file was built,`,
        );
      this.#classes.push(cls);
    }
  }

  plan(direction: Direction, where: string, pool: ValidatorPool): ValuePlan {
    const { checked, rules = [], accepts } = this.data;
    const shown = described(this.data.shown, this.data.arguments ? undefined : this.#classes[0]);
    const { dialect = '2020-12', isolated = false, ownProperties = false } = checked ?? {};
    const enforced = enforcedIn(this.data, shown);
    const known = rules.length === 0 ? enforced : structuredClone(enforced);
    for (const rule of rules) this.#attach(known, rule);
    const spec: SchemaSpec = {
      shown,
      enforced: known,
      dialect,
      isolated,
      instantiator: this.#instantiator(),
    };
    const options = { schema: known, dialect, isolated, ownProperties, where, prepared: accepts };
    const validator = new Validator(pool, options);
    return direction === 'input' ? new InputPlan(spec, validator) : new OutputPlan(spec, validator);
  }

  #instantiator(): Instantiator | undefined {
    const { arguments: declared, classes: [first] = [], list } = this.data;
    if (declared)
      return objectInstantiator(
        declared.map(({ name, make, fallback }) => ({
          name,
          instantiator: this.#making(make),
          fallback: fallback === undefined ? undefined : fallbackFor(fallback),
        })),
      );
    const one = first?.fields && this.#instance(0);
    return one && list ? listInstantiator(one) : one;
  }

  #instance(index: number): Instantiator {
    const known = this.#instances.get(index);
    if (known) return known;
    const plan = new InstancePlan(this.#classes[index] as Constructor);
    // Known before its fields are, because a class may hold itself.
    this.#instances.set(index, plan);
    const fields: readonly FieldData[] = this.data.classes?.[index]?.fields ?? [];
    plan.fields = fields.map(({ name, make }) => ({ name, instantiator: this.#making(make) }));
    return plan;
  }

  #making({ container, one: made }: MakeData = {}): Instantiator | undefined {
    const one =
      typeof made === 'number'
        ? this.#instance(made)
        : made === undefined
          ? undefined
          : formCalled(made).instantiator;
    if (container === 'set') return setInstantiator(one);
    if (container === 'map') return mapInstantiator(one);
    return one && container === 'array' ? listInstantiator(one) : one;
  }

  #attach(schema: object, { at, cls: index, property, known }: RuleData): void {
    let target = schema as Record<string, unknown>;
    for (const step of at) target = target[step] as Record<string, unknown>;
    const cls = this.#classes[index] as Constructor;
    const storage = ruleStorage() as RuleStorage;
    const own = rulesOfProperty(storage, cls, property);
    setRules(
      target,
      known.map(({ index: place, enforced = {}, expects, searches, constraints }) => {
        const metadata = own[place] as RuleMetadata;
        const [registered] = storage.getTargetValidatorConstraints(metadata.constraintCls as Constructor);
        const instance = registered?.instance as never;
        const constraint =
          metadata.name === 'matches' ? safeConstraint(metadata, instance, this.patterns, '') : instance;
        const rule = {
          keywords: () => enforced,
          ...(expects === undefined ? {} : { expects: () => expects }),
          ...(constraints && { constraints: () => constraints }),
          ...(searches && { searches }),
        };
        return new BoundRule(metadata, rule, false, cls.name, () => constraint);
      }),
    );
  }
}

/** What a plan enforces. @param shown what it shows. */
function enforcedIn({ checked }: PreparedPlan, shown: JsonSchema): JsonSchema {
  return checked?.enforced ?? (checked?.orNull ? bare(shown, checked.orNull) : shown);
}

/** What is shown of a class, with what `@Describe` says of its properties. */
export function described(shown: JsonSchema, cls: Constructor | undefined): JsonSchema {
  const { properties } = shown;
  if (!cls || !isObject(properties)) return shown;
  const all = Object.entries(properties).map(([name, one]) => [
    name,
    { ...(one as JsonSchema), ...annotationKeywords(annotationsOf(cls.prototype as object, name)) },
  ]);
  return { ...shown, properties: Object.fromEntries(all) as JsonSchema };
}

/** Keywords that say nothing of values. */
const INFORMING: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'deprecated',
  'default',
  HEADER_KEYWORD,
]);

/** What is shown without what only informs. @param nullable the properties that may be null. */
export function bare(shown: JsonSchema, nullable: readonly string[]): JsonSchema {
  const bareOf = (schema: object): JsonSchema =>
    Object.fromEntries(Object.entries(schema).filter(([name]) => !INFORMING.has(name))) as JsonSchema;
  const properties = Object.entries(shown['properties'] as object).map(([name, one]) => {
    const kept = bareOf(one as object);
    return [name, nullable.includes(name) ? orNull(kept) : kept];
  });
  // In the place that they have.
  return bareOf({ ...shown, properties: Object.fromEntries(properties) as JsonSchema });
}

/** The rules of one property of a class, in their order. */
export function rulesOfProperty(
  storage: RuleStorage,
  cls: Constructor,
  property: string,
): readonly RuleMetadata[] {
  return targetRules(storage, cls, []).filter(({ propertyName }) => propertyName === property);
}

/** The class that a plan is made for, or that of an argument or its elements. */
export function rootClass(source: SchemaSource, argument: string): Constructor | undefined {
  if (source.kind === 'class' || source.kind === 'array') return source.cls;
  if (source.kind !== 'properties') return undefined;
  const declared = source.properties.find(({ name }) => name === argument);
  return [declared?.type, declared?.items].map(classOf).find((cls) => cls !== undefined);
}

/** The class that a property holds. */
/** Tells what the rules of a class say from what others say. */
export function ruleDigest(cls: Constructor): string {
  const storage = ruleStorage();
  const rules = storage ? targetRules(storage, cls, []) : [];
  return quickDigest(
    rules.map(({ propertyName, name, type, constraints = [], each, message }) => [
      propertyName,
      name ?? type,
      each,
      // Functions have no form that would be the same in a file.
      JSON.stringify([message, constraints], (_, value: unknown) =>
        value instanceof RegExp ? String(value) : typeof value === 'bigint' ? `${value}n` : value,
      ),
    ]),
  );
}

/** Tells what the declarations of arguments say from what others say; `undefined` where there are none. */
export function declarationDigest(source: SchemaSource): string | undefined {
  if (source.kind !== 'properties') return undefined;
  return quickDigest(source.properties.map(({ name, keywords }) => [name, keywords ?? null]));
}

export function heldBy(
  cls: Constructor | undefined,
  property: string,
  types: TransformerStorage | undefined,
): Constructor | undefined {
  if (!cls) return undefined;
  const named = types?.findTypeMetadata(cls, property);
  return classOf(named ? named.typeFunction : read(DESIGN.type, cls.prototype as object, property));
}

function classOf(type: unknown): Constructor | undefined {
  const declared = normaliseType(type);
  return declared.kind === 'class' ? declared.cls : undefined;
}

import { annotationsOf } from '../metadata/metadata.js';
import type { Constructor } from '../protocol/constructor.js';
import { canonicalJson, isObject, type JsonSchema } from '../protocol/json.js';
import type { DtoClasses } from './classes.js';
import { annotationKeywords } from './describe/describe.js';
import { enforcedKeywords } from './describe/rules/rule.js';
import { type FormName, nameOfForm, type WireForm, wireForm } from './describe/wire-form.js';
import { normaliseType } from './dto/declared-type.js';
import { type BoundRule, rulesOf } from './dto/bound-rule.js';
import { isDto, ruleStorage } from './dto/class-libraries.js';
import type { PropertyModel } from './dto/property.js';
import { isAssignable } from './instantiate/instantiate.js';
import { UNCLEAR } from './validate/messages.js';
import {
  type ClassData,
  type FieldData,
  type MakeData,
  type PlanData,
  planKey,
  type RuleData,
} from './plan-data.js';
import { DeferredPlan, type ValuePlan } from './plans.js';
import {
  bare,
  declarationDigest,
  described,
  heldBy,
  rootClass,
  ruleDigest,
  rulesOfProperty,
} from './prepared-plans.js';
import type { Direction, SchemaSource } from './source.js';
import type { SchemaSpec } from './spec.js';
import type { ValidatorOptions } from './validate/validate.js';

/** A plan that was asked for. */
interface PlannedValue {
  readonly source: SchemaSource;
  readonly direction: Direction;
  readonly where: string;
  readonly unknown: string;
  readonly plan: ValuePlan;
}

/** Takes note of the plans of an app, so that they can be written as data. */
export class PlanRecorder {
  readonly #planned: PlannedValue[] = [];
  readonly #made = new Map<ValuePlan, { readonly spec: SchemaSpec; readonly options: ValidatorOptions }>();
  classes: DtoClasses | undefined;

  /** A plan is asked for. */
  planned(planned: PlannedValue): void {
    this.#planned.push(planned);
  }

  /** A plan has been made of a spec. */
  made(plan: ValuePlan, spec: SchemaSpec, options: ValidatorOptions): void {
    this.#made.set(plan, { spec, options });
  }

  /** The plans as data; or the first place whose plan cannot be data, or has two that differ. */
  describe(): readonly PlanDescription[] | string {
    const described: PlanDescription[] = [];
    const keys = new Map<string, string>();
    for (const planned of this.#planned) {
      if (planned.source.kind === 'none') continue;
      const description = this.#describe(planned);
      if (!description) return planned.where;
      const [key = ''] = description.data.for;
      const text = JSON.stringify({ ...description.data, for: [] });
      if ((keys.get(key) ?? text) !== text) return planned.where;
      if (!keys.has(key)) described.push(description);
      keys.set(key, text);
    }
    return described;
  }

  #describe({ source, direction, where, unknown, plan }: PlannedValue): PlanDescription | undefined {
    const made = this.#made.get(plan instanceof DeferredPlan ? plan.made : plan);
    const base = {
      for: [planKey(direction, where, unknown)],
      shown: plan.advertised,
      mirrored: plan.mirrored,
    };
    if (source.kind === 'standard') return { data: base };
    // Plans that let unknown properties pass are made around another, and are not data.
    if (!made || made.spec.rules || made.spec.toPlain) return undefined;
    const { options } = made;
    const { schema, dialect, isolated, ownProperties } = options;
    const groups = source.kind === 'class' ? (source.groups ?? []) : [];
    if (groups.length > 0) return undefined;
    const writer = new ClassWriter(source, direction, this.classes);
    try {
      const shown = source.kind === 'class' ? undescribed(plan.advertised, source.cls) : plan.advertised;
      const checked = { ...enforcedOf(schema, plan.advertised), dialect, isolated, ownProperties };
      const data = { ...base, shown, checked, ...writer.write(schema) };
      return { data, options };
    } catch (error) {
      if (error === NOT_DATA) return undefined;
      throw error;
    }
  }
}

/** What is shown of a class without what its properties say of themselves, as far as that can be put back as it was. */
function undescribed(shown: JsonSchema, cls: Constructor): JsonSchema {
  const { properties } = shown;
  if (!isObject(properties)) return shown;
  const all = Object.entries(properties).map(([name, one]) => {
    const said = annotationKeywords(annotationsOf(cls.prototype as object, name));
    const rest = Object.entries(one as object).filter(([keyword]) => !(keyword in said));
    return [name, Object.fromEntries(rest)];
  });
  const less = { ...shown, properties: Object.fromEntries(all) as JsonSchema };
  return areSame(described(less, cls), shown) ? less : shown;
}

/** What is enforced, in few words. */
function enforcedOf(
  enforced: JsonSchema,
  shown: JsonSchema,
): Pick<NonNullable<PlanData['checked']>, 'enforced' | 'orNull'> {
  if (areSame(enforced, shown)) return {};
  const { properties } = enforced;
  if (!isObject(properties) || !isObject(shown['properties'])) return { enforced };
  const orNull = Object.keys(properties).filter(
    (name) => isObject(properties[name]) && 'anyOf' in properties[name],
  );
  return areSame(enforced, bare(shown, orNull)) ? { orNull } : { enforced };
}

/** In the same order, too: clients see it, and violations have it. */
function areSame(one: JsonSchema, other: JsonSchema): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A plan as data, and what its validator is made from. */
export interface PlanDescription {
  readonly data: PlanData;
  /** Absent where a schema of another library checks values. */
  readonly options?: ValidatorOptions;
}

/** Thrown where something of a plan cannot be data. */
const NOT_DATA = new Error('this plan is not data');

/** Writes what a plan makes of values, and which rules its schemas know. */
class ClassWriter {
  readonly #classes: (ClassData & { readonly cls: Constructor })[] = [];

  constructor(
    readonly source: SchemaSource,
    readonly direction: Direction,
    readonly library: DtoClasses | undefined,
  ) {}

  write(enforced: JsonSchema): Pick<PlanData, 'arguments' | 'classes' | 'declared' | 'rules' | 'list'> {
    const declared = this.#arguments();
    if (this.source.kind === 'class' || this.source.kind === 'array') this.#root(this.source.cls, '');
    const rules = this.#rules(enforced, []);
    const digest = declarationDigest(this.source);
    return {
      ...(digest !== undefined && { declared: digest }),
      ...(declared && { arguments: declared }),
      ...(this.#classes.length > 0 && { classes: this.#classes.map(({ cls: _, ...data }) => data) }),
      ...(rules.length > 0 && { rules }),
      ...(this.source.kind === 'array' && { list: true as const }),
    };
  }

  get #isInput(): boolean {
    return this.direction === 'input';
  }

  #arguments(): readonly FieldData[] | undefined {
    if (this.source.kind !== 'properties') return undefined;
    const fields = this.source.properties.map(({ name, type, items, keywords = {} }): FieldData => {
      const cls = rootClass(this.source, name);
      const declared = normaliseType(type);
      const isList = declared.kind === 'array';
      const form = wireForm(isList ? normaliseType(items) : declared);
      const one = cls && this.library && isDto(cls) ? this.#root(cls, name) : form && formName(form);
      const fallback = keywords['default'];
      return {
        name,
        ...(one !== undefined && { make: { ...(isList && { container: 'array' as const }), one } }),
        ...(fallback !== undefined && { fallback }),
      };
    });
    return this.#isInput ? fields : undefined;
  }

  /** A class that is found in what the plan is made for. @returns its number. */
  #root(cls: Constructor, argument: string): number {
    if (rootClass(this.source, argument) !== cls) throw NOT_DATA;
    return this.#class(cls, argument === '' ? {} : { property: argument });
  }

  #class(cls: Constructor, place: Pick<ClassData, 'of' | 'property'>): number {
    const known = this.#classes.findIndex((one) => one.cls === cls);
    if (known >= 0) return known;
    const index = this.#classes.length;
    this.#classes.push({ cls, name: cls.name, ...place, said: ruleDigest(cls) });
    const model = this.library?.modelOf(cls, this.direction);
    if (!model || model.transformed) throw NOT_DATA;
    const fields = model.properties.map((property) => this.#field(property, index, cls));
    const data = this.#classes[index];
    const assigned = fields.filter(({ name }) => isAssignable(cls.prototype as object, name));
    if (data && this.#isInput) this.#classes[index] = { ...data, fields: assigned };
    return index;
  }

  #field(
    { name, nested, form, container, transformed }: PropertyModel,
    of: number,
    cls: Constructor,
  ): FieldData {
    if (transformed || nested?.variants) throw NOT_DATA;
    const one = nested ? this.#nested(nested.cls, of, name, cls) : form && formName(form);
    const isMade = one !== undefined || container === 'set' || container === 'map';
    const make: MakeData = {
      ...(container !== 'one' && { container }),
      ...(one !== undefined && { one }),
    };
    return { name, ...(isMade && { make }) };
  }

  #nested(nested: Constructor, of: number, property: string, cls: Constructor): number {
    if (heldBy(cls, property, this.library?.transforms) !== nested) throw NOT_DATA;
    return this.#class(nested, { of, property });
  }

  /** The rules that the objects of a schema know and that speak of values. */
  #rules(schema: unknown, at: readonly string[]): RuleData[] {
    if (typeof schema !== 'object' || schema === null) return [];
    const known = rulesOf(schema).filter(speaks);
    const [first] = known;
    return [
      ...(first ? [this.#known(first, known, at)] : []),
      ...Object.entries(schema).flatMap(([name, one]) => this.#rules(one, [...at, name])),
    ];
  }

  #known(
    { metadata: { propertyName: property }, target }: BoundRule,
    rules: readonly BoundRule[],
    at: readonly string[],
  ): RuleData {
    const storage = ruleStorage();
    for (const [index, { cls }] of this.#classes.entries()) {
      const own = storage && cls.name === target ? rulesOfProperty(storage, cls, property) : [];
      const known = rules.map((rule) => ({ index: own.indexOf(rule.metadata), ...partsOfRule(rule) }));
      if (known.every((one) => one.index >= 0)) return { at, cls: index, property, known };
    }
    throw NOT_DATA;
  }
}

function formName(form: WireForm): FormName {
  const name = nameOfForm(form);
  if (name === undefined) throw NOT_DATA;
  return name;
}

/** Whether a rule says more of a value than the keywords of its schema. */
function speaks(rule: BoundRule): boolean {
  const enforced = JSON.stringify(enforcedKeywords(rule.rule, rule.args));
  return (
    rule.worded || rule.expects !== undefined || [...UNCLEAR].some((one) => enforced.includes(`"${one}"`))
  );
}

function partsOfRule(rule: BoundRule): Omit<RuleData['known'][number], 'index'> {
  const { expects, args } = rule;
  const constraints = rule.rule.constraints?.(args);
  if (constraints && canonicalJson(JSON.parse(JSON.stringify(constraints))) !== canonicalJson(constraints))
    throw NOT_DATA;
  return {
    enforced: enforcedKeywords(rule.rule, args),
    ...(expects !== undefined && { expects }),
    ...(rule.rule.searches && { searches: true }),
    ...(constraints && { constraints }),
  };
}

import type { Constructor } from '../../protocol/constructor.js';
import { isPromise } from '../../protocol/maybe-promise.js';
import type { Direction } from '../json-schema/source.js';
import type { PatternPool } from '../patterns/patterns.js';

/*
 * `load-libraries.ts` alone imports class-validator and class-transformer. Only these two files read their private
 * state:
 *
 * | private                                    | why                                     | the public way that is missing             |
 * | `globalThis.classValidatorMetadataStorage` | is a class a DTO, without loading it    | a check that loads nothing                 |
 * | `MetadataStorage.validationMetadatas`      | rules of a class without scanning all   | `getTargetValidationMetadatas` by an index |
 * | default messages of constraints            | is a rule the library's or the author's | a mark on the records of its own decorators |
 * | `class-transformer/…/storage.js`           | renamed, hidden and changed properties  | an exported `MetadataStorage`              |
 *
 * ajv has one such place: `dist/compile/codegen`, in `validate/ajv.ts`. The index of ajv exports its tag `_` too, but
 * with all of ajv beside it.
 */

/**
 * The parts of class-validator and class-transformer that this package uses. The types are structural,
 * because programs without DTO classes do not install these libraries.
 */
export interface ClassLibraries extends ClassTransformer {
  readonly rules: RuleStorage;
  readonly builtIn: BuiltInRules;
  /**
   * Returns whether the rule was recorded by the copy of class-validator that this package has loaded, and not by a
   * second installed copy.
   */
  readonly isOwnRule: (rule: RuleMetadata) => boolean;
  /** Runs the regular expressions of rules, so that class-validator does not run them. */
  readonly patterns: PatternPool;
  /** Creates the instances of authors' constraint classes. */
  readonly constraints: ConstraintSource;
}

/** The parts of class-transformer that this package uses. */
export interface ClassTransformer {
  readonly transforms: TransformerStorage;
  readonly plainToInstance: <T>(
    cls: new () => T,
    plain: object,
    options: { readonly exposeUnsetFields: boolean },
  ) => T;
  readonly instanceToPlain: (instance: unknown) => unknown;
}

/** One use of `@Expose`, `@Exclude` or `@Transform`. Without a property, it applies to the class. */
export interface TransformMetadata {
  readonly target?: unknown;
  readonly propertyName: string | undefined;
  readonly options?: {
    readonly toClassOnly?: boolean;
    readonly toPlainOnly?: boolean;
    readonly name?: string;
  };
  /** The function of `@Transform`. */
  readonly transformFn?: (params: {
    readonly value: unknown;
    readonly key: string;
    readonly obj: object;
    readonly type: 0 | 1;
    readonly options: object;
  }) => unknown;
}

/** One use of `@Type`. */
interface TypeMetadata {
  readonly typeFunction: (options?: unknown) => unknown;
  readonly options?: {
    readonly discriminator?: {
      readonly property: string;
      readonly subTypes: readonly { readonly value: Constructor; readonly name: string }[];
    };
  };
}

/**
 * The part of class-transformer's metadata storage that this package uses. It includes decorators of base
 * classes.
 */
export interface TransformerStorage {
  findTypeMetadata(target: unknown, property: string): TypeMetadata | undefined;
  /**
   * Returns the uses of `@Transform` on a property.
   *
   * @param type the direction, as class-transformer numbers it: 0 for plain to class, 1 for class to plain.
   */
  findTransformMetadatas(target: unknown, property: string, type: 0 | 1): readonly TransformMetadata[];
  getExposedMetadatas(target: unknown): readonly TransformMetadata[];
  getExcludedMetadatas(target: unknown): readonly TransformMetadata[];
  addTypeMetadata(metadata: TypeMetadata & { readonly target: unknown }): void;
  addTransformMetadata(metadata: TransformMetadata): void;
  addExposeMetadata(metadata: TransformMetadata): void;
  addExcludeMetadata(metadata: TransformMetadata): void;
  getStrategy(target: unknown): 'none' | 'excludeAll' | 'exposeAll';
}

/**
 * An implementation of a rule in class-validator. The type is structural, so that class-validator is not
 * imported.
 */
export interface Constraint {
  validate(value: unknown, args: never): unknown;
  defaultMessage?(args: never): string;
}

/** One use of a decorator, as class-validator records it. */
export interface RuleMetadata {
  readonly type: string;
  readonly name?: string | undefined;
  readonly target: unknown;
  readonly propertyName: string;
  readonly constraintCls?: Constructor | undefined;
  readonly constraints?: readonly unknown[] | undefined;
  readonly message?: string | ((args: object) => string) | undefined;
  readonly groups: readonly string[];
  readonly always?: boolean | undefined;
  readonly each: boolean;
  readonly validateIf?: ((object: object, value: unknown) => unknown) | undefined;
}

/** The implementation of a decorator that is registered with class-validator. */
interface RegisteredConstraint {
  readonly target: Constructor;
  readonly async: boolean;
  /** The instance that class-validator's container created. */
  readonly instance: Constraint;
}

/** The part of class-validator's metadata storage that this package uses. */
export interface RuleStorage {
  addValidationMetadata(metadata: RuleMetadata): void;
  getTargetValidationMetadatas(
    cls: Constructor,
    schema: string,
    always: boolean,
    strictGroups: boolean,
    groups?: string[],
  ): RuleMetadata[];
  getTargetValidatorConstraints(cls: Constructor): RegisteredConstraint[];
}

/** Returns class-validator's storage of rules; `undefined` until a module imports class-validator. */
export function ruleStorage(): RuleStorage | undefined {
  return (globalThis as { classValidatorMetadataStorage?: RuleStorage }).classValidatorMetadataStorage;
}

/** Whether any module has imported class-validator. */
export function hasClassValidator(): boolean {
  return ruleStorage() !== undefined;
}

/**
 * Whether a class or one of its base classes has class-validator rules. Does not load class-validator: if no
 * module has imported it, no class has rules.
 */
export function isDto(cls: unknown): boolean {
  const storage = ruleStorage();
  const known = storage && rulesByClass(storage);
  return known !== undefined && ancestors(cls).some((one) => known.has(one));
}

/**
 * Returns the text to write as the option `output` of a tool that returns the given value.
 *
 * @returns `Ticket` for an instance of the DTO class `Ticket`; `[Ticket]` for a list of such instances; `undefined` for
 *   any other value, including plain objects.
 */
export function describesItself(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return isDto(value.constructor) ? value.constructor.name : undefined;
  const [first] = value as readonly unknown[];
  const element = Array.isArray(first) ? undefined : describesItself(first);
  return element === undefined ? undefined : `[${element}]`;
}

/** Rules by the class that declares them. */
type Rules = ReadonlyMap<unknown, readonly RuleMetadata[]>;

/**
 * Returns a function that finds out whether a given copy of class-validator recorded a rule. All copies share one
 * storage, but each copy has its own class for the entries.
 * @param decorate a decorator of that copy which takes no arguments.
 */
export function recordedBy(
  storage: RuleStorage,
  decorate: () => (target: object, property: string) => void,
): (rule: RuleMetadata) => boolean {
  class Probe {}
  decorate()(Probe.prototype, 'value');
  const [probe] = targetRules(storage, Probe, []);
  // The mapped types make plain objects.
  return (rule) => rule.constructor === Object || rule.constructor === probe?.constructor;
}

/** Returns all rules; `undefined` if this version of class-validator stores them in an unknown way. */
function rulesByClass(storage: RuleStorage): Rules | undefined {
  const { validationMetadatas } = storage as unknown as { validationMetadatas?: unknown };
  return validationMetadatas instanceof Map ? (validationMetadatas as Rules) : undefined;
}

/**
 * Returns the rules of a class and its base classes, as class-validator finds them. At each call, class-validator
 * searches all rules in its storage, which is slow for many classes. Therefore, this function lets class-validator
 * search a smaller storage. It contains only the rules of the given class and its base classes.
 *
 * @param groups the groups whose rules apply, in addition to rules without a group. If the list is empty, all rules
 *   apply.
 */
export function targetRules(
  storage: RuleStorage,
  cls: Constructor,
  groups: readonly string[],
): RuleMetadata[] {
  const own = rulesByClass(storage);
  const few = own ? relatives(storage, own, cls) : storage;
  return few.getTargetValidationMetadatas(cls, '', groups.length > 0, false, [...groups]);
}

function relatives(storage: RuleStorage, own: Rules, cls: Constructor): RuleStorage {
  const Storage = storage.constructor as new () => RuleStorage;
  const few = new Storage();
  // Those a class extends were declared before it, and class-validator goes by that order.
  for (const relative of ancestors(cls).reverse()) {
    for (const rule of own.get(relative) ?? []) few.addValidationMetadata(rule);
  }
  return few;
}

/** Returns a class and its base classes. */
export function ancestors(cls: unknown): object[] {
  const chain: object[] = [];
  for (let at = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at))
    chain.push(at);
  return chain;
}

type Decorate = (...args: unknown[]) => (target: object, property: string) => void;

/** Decorators whose name differs from the name of their rule by more than upper and lower case. */
const RENAMED: Readonly<Record<string, string>> = { islength: 'length' };

/**
 * Distinguishes class-validator's own rules from authors' rules with the same name. Authors' rules must always run. The
 * metadata of both kinds looks the same, so this class compares their default messages.
 */
export class BuiltInRules {
  readonly #decorators = new Map<string, Decorate>();
  readonly #storage: RuleStorage;
  readonly #found = new Map<string, Constructor | undefined>();

  /** @param validator the exports of class-validator. */
  constructor(validator: Readonly<Record<string, unknown>>, storage: RuleStorage) {
    this.#storage = storage;
    for (const [name, value] of Object.entries(validator))
      if (/^[A-Z]/.test(name) && typeof value === 'function')
        this.#decorators.set(name.toLowerCase(), value as Decorate);
  }

  /**
   * Whether the rule of a decorator is class-validator's own. @param registered the registered implementation of the
   * rule.
   */
  made(metadata: RuleMetadata, registered: RegisteredConstraint): boolean {
    const { name } = metadata;
    if (name === undefined || registered.async) return false;
    if (!this.#found.has(name)) this.#found.set(name, this.#probe(name, metadata));
    const known = this.#found.get(name);
    if (known === undefined) return false;
    const said = messageOf(registered.target, metadata);
    return said !== undefined && said === messageOf(known, metadata);
  }

  /** Applies the decorator of a rule to a new class. @returns the class of the constraint. */
  #probe(name: string, { constraints }: RuleMetadata): Constructor | undefined {
    const spelt = name.toLowerCase();
    const decorate = this.#decorators.get(RENAMED[spelt] ?? spelt);
    if (decorate === undefined) return undefined;
    class Probe {}
    decorate(...((constraints as unknown[] | undefined) ?? []))(Probe.prototype, 'value');
    const [found] = this.#storage.getTargetValidationMetadatas(Probe, '', false, false);
    const { constraintCls } = found ?? {};
    const [registered] = constraintCls ? this.#storage.getTargetValidatorConstraints(constraintCls) : [];
    return registered?.target;
  }
}

/**
 * Returns the default message of a constraint. Needs no instance, because each use of a decorator has its own
 * class.
 */
function messageOf({ prototype }: Constructor, metadata: RuleMetadata): string | undefined {
  const args = {
    targetName: '',
    property: metadata.propertyName,
    object: {},
    value: undefined,
    constraints: metadata.constraints ?? [],
  };
  try {
    return (prototype as Constraint).defaultMessage?.(args as never).replace('each value in ', '');
  } catch {
    return undefined;
  }
}

/** Creates an instance of a constraint class, or returns `undefined` to let class-validator create the instance. */
export type MakeConstraint = (cls: Constructor) => unknown;

/**
 * Creates instances of authors' constraint classes: one instance of each class for each app. class-validator's own
 * container would share the instances between all apps of the process.
 */
export class ConstraintSource {
  readonly #make: MakeConstraint | undefined;
  readonly #made = new Map<Constructor, Constraint>();
  readonly #found = new Map<Constructor, RegisteredConstraint>();

  constructor(make?: MakeConstraint) {
    this.#make = make;
  }

  /**
   * Records a constraint that a DTO property uses. `classes` and `makeAll` then include the class of the constraint.
   */
  add(registered: RegisteredConstraint): void {
    this.#found.set(registered.target, registered);
  }

  /** The authors' constraint classes of all DTO classes that have been read so far. */
  get classes(): readonly Constructor[] {
    return [...this.#found.keys()];
  }

  /**
   * Creates all instances, so that a missing dependency is reported at start. @throws the error of a
   * constructor.
   */
  makeAll(): void {
    for (const registered of this.#found.values()) this.get(registered);
  }

  /**
   * Returns the instance of a constraint class.
   *
   * @throws the error of the constructor.
   * @throws TypeError if the container returns a promise.
   */
  get(registered: RegisteredConstraint): Constraint {
    const cls = registered.target;
    const known = this.#made.get(cls);
    if (known) return known;
    const made = this.#make?.(cls) ?? registered.instance;
    if (isPromise(made))
      throw new TypeError(
        `the container returns a promise of ${cls.name}; constraints must be created synchronously`,
      );
    this.#made.set(cls, made as Constraint);
    return made as Constraint;
  }
}

/**
 * How class-transformer's decorators, except `@Type`, change the JSON form of a class in one direction (input or
 * output).
 */
export interface Transforms {
  /** Whether properties are renamed, exposed or excluded. */
  readonly renames: boolean;
  /** Whether the JSON form contains the property. */
  has(property: string): boolean;
  /** Returns the name of the property in JSON. */
  wireName(property: string): string;
  /** Returns whether the property has `@Transform`, so that an author's function changes its value. */
  changes(property: string): boolean;
  /** Returns whether the property has a `@Transform` whose function runs even if the property is missing. */
  runsWithout(property: string): boolean;
}

/** Reads `@Transform`, `@Expose` and `@Exclude` of a class and its base classes, for one direction. */
export function readTransforms(
  cls: Constructor,
  storage: TransformerStorage,
  direction: Direction,
): Transforms {
  const input = direction === 'input';
  const applies = ({ options }: TransformMetadata): boolean =>
    input
      ? !options?.toPlainOnly || options.toClassOnly === true
      : !options?.toClassOnly || options.toPlainOnly === true;
  const exposures = storage.getExposedMetadatas(cls).filter(applies);
  const exclusions = storage.getExcludedMetadatas(cls).filter(applies);
  const exposed = new Map(exposures.map((entry) => [entry.propertyName, entry.options?.name]));
  const excluded = new Set(exclusions.map((entry) => entry.propertyName));
  const strategy = storage.getStrategy(cls);
  return {
    renames: exposed.size > 0 || excluded.size > 0 || strategy !== 'none',
    has: (property) => !excluded.has(property) && (strategy !== 'excludeAll' || exposed.has(property)),
    wireName: (property) => exposed.get(property) ?? property,
    // The numbers are class-transformer's own: 0 for plain to class, 1 for class to plain.
    changes: (property) => storage.findTransformMetadatas(cls, property, input ? 0 : 1).length > 0,
    // class-transformer visits the properties that the value has, and those that are exposed.
    runsWithout: (property) => !input || exposed.has(property),
  };
}

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
 * The used parts of class-validator and class-transformer. The types are structural, because programs without DTO
 * classes do not install them.
 */
export interface ClassLibraries extends ClassTransformer {
  readonly rules: RuleStorage;
  readonly builtIn: BuiltInRules;
  /** Whether a rule was recorded by the class-validator that is loaded here, and not by another copy of it. */
  readonly isOwnRule: (rule: RuleMetadata) => boolean;
  /** Runs the patterns of rules, in place of class-validator. */
  readonly patterns: PatternPool;
  /** Makes the constraints of authors. */
  readonly constraints: ConstraintSource;
}

/** The used parts of class-transformer. */
export interface ClassTransformer {
  readonly transforms: TransformerStorage;
  readonly plainToInstance: <T>(
    cls: new () => T,
    plain: object,
    options: { readonly exposeUnsetFields: boolean },
  ) => T;
  readonly instanceToPlain: (instance: unknown) => unknown;
}

/** One use of `@Expose`, `@Exclude` or `@Transform`. Without a property it concerns the class. */
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

/** The used part of class-transformer's record of its decorators, including those of extended classes. */
export interface TransformerStorage {
  findTypeMetadata(target: unknown, property: string): TypeMetadata | undefined;
  /** @param type class-transformer's number of a direction: 0 for plain to class, 1 for class to plain. */
  findTransformMetadatas(target: unknown, property: string, type: 0 | 1): readonly TransformMetadata[];
  getExposedMetadatas(target: unknown): readonly TransformMetadata[];
  getExcludedMetadatas(target: unknown): readonly TransformMetadata[];
  addTypeMetadata(metadata: TypeMetadata & { readonly target: unknown }): void;
  addTransformMetadata(metadata: TransformMetadata): void;
  addExposeMetadata(metadata: TransformMetadata): void;
  addExcludeMetadata(metadata: TransformMetadata): void;
  getStrategy(target: unknown): 'none' | 'excludeAll' | 'exposeAll';
}

/** How class-validator implements a rule: structurally, so that nothing of it is imported. */
export interface Constraint {
  validate(value: unknown, args: never): unknown;
  defaultMessage?(args: never): string;
}

/** class-validator's record of one use of a decorator. */
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

/** class-validator's registered implementation of a decorator. */
interface RegisteredConstraint {
  readonly target: Constructor;
  readonly async: boolean;
  /** Made by the container of class-validator. */
  readonly instance: Constraint;
}

/** The used part of class-validator's record of its decorators. */
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

/** class-validator's storage of rules; `undefined` until the library is imported. */
export function ruleStorage(): RuleStorage | undefined {
  return (globalThis as { classValidatorMetadataStorage?: RuleStorage }).classValidatorMetadataStorage;
}

/** Whether class-validator has been imported by anything. */
export function hasClassValidator(): boolean {
  return ruleStorage() !== undefined;
}

/** Whether a class, or one it extends, carries class-validator rules. Loads nothing: false is also the answer when it was never imported. */
export function isDto(cls: unknown): boolean {
  const storage = ruleStorage();
  const known = storage && rulesByClass(storage);
  return known !== undefined && ancestors(cls).some((one) => known.has(one));
}

/**
 * The `output` that describes a value: the name of the DTO class it is an instance of, in brackets for a list of such instances.
 *
 * @returns undefined for anything else, plain objects included.
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
 * Whether one copy of class-validator recorded the rules. Copies share the storage, but not the class of its entries.
 * @param decorate a decorator without arguments of that copy.
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

/** Every rule there is; undefined when class-validator keeps them in another way than it did. */
function rulesByClass(storage: RuleStorage): Rules | undefined {
  const { validationMetadatas } = storage as unknown as { validationMetadatas?: unknown };
  return validationMetadatas instanceof Map ? (validationMetadatas as Rules) : undefined;
}

/**
 * The rules of a class and its base classes, as class-validator itself finds them. It searches all classes each time,
 * which takes long with many, so it gets the relatives of the class alone.
 *
 * @param groups the groups whose rules apply, beside rules without a group; all rules if empty.
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

/** A class and those it extends. */
export function ancestors(cls: unknown): object[] {
  const chain: object[] = [];
  for (let at = cls; typeof at === 'function' && at !== Function.prototype; at = Object.getPrototypeOf(at))
    chain.push(at);
  return chain;
}

type Decorate = (...args: unknown[]) => (target: object, property: string) => void;

/** Decorators whose name is not that of their rule, whatever the case. */
const RENAMED: Readonly<Record<string, string>> = { islength: 'length' };

/**
 * Tells class-validator's own rules from an author's rules of the same name, which must not be left out. The records
 * have no mark, so default messages tell them apart.
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

  /** Whether a use of a decorator is class-validator's own. @param registered its registered implementation. */
  made(metadata: RuleMetadata, registered: RegisteredConstraint): boolean {
    const { name } = metadata;
    if (name === undefined || registered.async) return false;
    if (!this.#found.has(name)) this.#found.set(name, this.#probe(name, metadata));
    const known = this.#found.get(name);
    if (known === undefined) return false;
    const said = messageOf(registered.target, metadata);
    return said !== undefined && said === messageOf(known, metadata);
  }

  /** Applies the decorator of a rule to a class of our own. */
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

/** The default message of a constraint, without an instance: each use of a decorator has a class of its own. */
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
    this.#found.set(registered.target, registered);
  }

  /** The authors' constraint classes in DTO classes read so far. */
  get classes(): readonly Constructor[] {
    return [...this.#found.keys()];
  }

  /** Creates them, so that missing dependencies show at start. @throws the error of a constructor. */
  makeAll(): void {
    for (const registered of this.#found.values()) this.get(registered);
  }

  /** @throws whatever making it throws, and TypeError when it is only promised. */
  get(registered: RegisteredConstraint): Constraint {
    const cls = registered.target;
    const known = this.#made.get(cls);
    if (known) return known;
    const made = this.#make?.(cls) ?? registered.instance;
    if (isPromise(made))
      throw new TypeError(`the container promises a ${cls.name}; constraints must be made at once`);
    this.#made.set(cls, made as Constraint);
    return made as Constraint;
  }
}

/** The effects of class-transformer on a class beyond creating instances of declared types. */
export interface Transforms {
  /** Whether properties are renamed, exposed or excluded. */
  readonly renames: boolean;
  /** Whether a property travels at all. */
  has(property: string): boolean;
  /** The name a property travels under. */
  wireName(property: string): string;
  /** Whether a function of the author changes the value of a property on its way. */
  changes(property: string): boolean;
  /** Whether such a function runs, and may return a value, even if none was sent. */
  runsWithout(property: string): boolean;
}

/** Reads `@Transform`, `@Expose` and `@Exclude` of a class and those it extends, for one direction. */
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

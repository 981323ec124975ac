import type { JsonSchema } from '../protocol/json.js';
import type { FormName } from './describe/wire-form.js';
import type { SchemaDialect } from './validate/compiled-schema.js';
import type { PreparedValidator } from './validate/prepared.js';

/*
 * Plans as data: what `sigil build` writes of the plans of an app (`describe-plans.ts`), so that nothing is described when its file runs
 * (`prepared-plans.ts`). Classes and functions are not data: they are found again from what the plan is made for.
 */

/** A plan as data. */
export interface PlanData {
  /** What it is made for: a direction, a place, and what becomes of unknown properties. */
  readonly for: readonly string[];
  /** What clients are shown, but for what `@Describe` says of the properties of its class. */
  readonly shown: JsonSchema;
  readonly mirrored: boolean;
  /** Absent for schemas of other libraries, which check values themselves. */
  readonly checked?: {
    /** Absent where it is what is shown, or what that says of values. */
    readonly enforced?: JsonSchema;
    /** There where it is what is shown without what only informs: the properties that may be null. */
    readonly orNull?: readonly string[];
    readonly dialect: SchemaDialect;
    readonly isolated: boolean;
    readonly ownProperties: boolean;
  };
  /** The classes that are met, the first of them where the plan is made for one. */
  readonly classes?: readonly ClassData[];
  /** What is made of arguments that are declared one by one. */
  readonly arguments?: readonly FieldData[];
  /** What the declarations of arguments say, as a digest. */
  readonly declared?: string;
  /** What schemas know of the rules that they were made of. */
  readonly rules?: readonly RuleData[];
  /** Whether it is for a list of what its class says. */
  readonly list?: true;
}

/** A plan as it stands in a file. */
export interface PreparedPlan extends PlanData {
  /** Decides whether a value satisfies what is enforced; absent where that is interpreted. */
  readonly accepts?: PreparedValidator;
}

/** A class, and where it is found: in a property of another, or in an argument. */
export interface ClassData {
  readonly name: string;
  readonly of?: number;
  readonly property?: string;
  /** What its rules say, as a digest. */
  readonly said: string;
  /** What is made of its properties; absent where no instance is made. */
  readonly fields?: readonly FieldData[];
}

/** What is made of a property or argument. */
export interface FieldData {
  readonly name: string;
  readonly make?: MakeData;
  /** What stands in for a missing argument. */
  readonly fallback?: unknown;
}

/** How a value is made: by the name of a form, or as an instance of a class; or as a list of these. */
export interface MakeData {
  readonly container?: 'array' | 'set' | 'map';
  readonly one?: FormName | number;
}

/** The rules that one schema within what is enforced knows. */
export interface RuleData {
  /** Where it is. */
  readonly at: readonly string[];
  readonly cls: number;
  readonly property: string;
  /** By their place among the rules of the property. */
  readonly known: readonly {
    readonly index: number;
    readonly enforced?: JsonSchema;
    readonly expects?: string;
    readonly searches?: true;
    readonly constraints?: readonly unknown[];
  }[];
}

/** What a plan is found by. */
export function planKey(direction: string, where: string, unknown: string): string {
  return `${direction} ${unknown} ${where}`;
}

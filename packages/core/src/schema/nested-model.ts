import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { DeclaredType } from './declared-type.js';
import { isDto } from './is-dto.js';
import type { PropertyContext } from './property-context.js';

/** The class of what a property holds. */
export interface NestedModel {
  readonly cls: Constructor;
  /** The classes a tag in the value chooses from. */
  readonly variants?: Variants;
}

/** A property that names the class of an object. */
export interface Variants {
  readonly tag: string;
  readonly classes: readonly { readonly cls: Constructor; readonly name: string }[];
}

/**
 * Finds the class of a property. `@ValidateNested` without a class is a mistake; a property whose declared class is a
 * DTO is nested even without it, because a handler that declares the class expects its rules to hold.
 */
export function nestedModel(
  context: PropertyContext,
  declared: DeclaredType,
  list: boolean,
): NestedModel | undefined {
  const { cls, name, own, libraries } = context;
  const isNested = own.some((metadata) => metadata.type === 'nestedValidation');
  const resolved = declared.kind === 'class' && (isNested || isDto(declared.cls)) ? declared.cls : undefined;
  if (resolved === undefined) {
    if (isNested) context.problems.push(unresolved(cls, name, list, context.where));
    return undefined;
  }
  const discriminator = libraries.transforms.findTypeMetadata(cls, name)?.options?.discriminator;
  if (discriminator === undefined) return { cls: resolved };
  const classes = discriminator.subTypes.map(({ value, name: tagged }) => ({ cls: value, name: tagged }));
  return { cls: resolved, variants: { tag: discriminator.property, classes } };
}

function unresolved(cls: Constructor, name: string, list: boolean, where: string): Problem {
  return {
    code: 'SIGIL_ERASED_TYPE',
    where,
    what: `${cls.name}.${name} has @ValidateNested(), but its class is not known at run time`,
    fix: `add @Type(() => TheClass) from class-transformer to ${cls.name}.${name}${
      list ? ', where TheClass is the class of one element' : ''
    }; if it is there, two copies of class-transformer are installed (npm ls class-transformer)`,
  };
}

import type { Constructor } from '../../protocol/constructor.js';
import type { Direction } from '../json-schema/source.js';
import type { TransformerStorage, TransformMetadata } from './class-libraries.js';

/** What class-transformer does to a class beyond making instances of declared types. */
export interface Transforms {
  /** Whether properties are renamed, exposed or excluded. */
  readonly renames: boolean;
  /** Whether a property travels at all. */
  has(property: string): boolean;
  /** The name a property travels under. */
  wireName(property: string): string;
  /** Whether a function of the author changes the value of a property on its way. */
  changes(property: string): boolean;
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
  const exposed = new Map(
    storage
      .getExposedMetadatas(cls)
      .filter(applies)
      .map((entry) => [entry.propertyName, entry.options?.name]),
  );
  const excluded = new Set(
    storage
      .getExcludedMetadatas(cls)
      .filter(applies)
      .map((entry) => entry.propertyName),
  );
  const strategy = storage.getStrategy(cls);
  return {
    renames: exposed.size > 0 || excluded.size > 0 || strategy !== 'none',
    has: (property) => !excluded.has(property) && (strategy !== 'excludeAll' || exposed.has(property)),
    wireName: (property) => exposed.get(property) ?? property,
    // The numbers are class-transformer's own: 0 for plain to class, 1 for class to plain.
    changes: (property) => storage.findTransformMetadatas(cls, property, input ? 0 : 1).length > 0,
  };
}

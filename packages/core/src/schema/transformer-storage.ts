import type { Constructor } from '../protocol/constructor.js';

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
export interface TypeMetadata {
  readonly typeFunction: (options?: unknown) => unknown;
  readonly options?: {
    readonly discriminator?: {
      readonly property: string;
      readonly subTypes: readonly { readonly value: Constructor; readonly name: string }[];
    };
  };
}

/** What is read of class-transformer's record of its decorators, those of extended classes included. */
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

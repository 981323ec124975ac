import type { ValidationOptions } from 'class-validator';

/** One way to use a decorator of class-validator. */
export interface Use {
  /** The decorator as an author writes it. */
  readonly code: string;
  decorate(options?: ValidationOptions): PropertyDecorator;
  /** Values it accepts, or almost does. */
  readonly near: readonly unknown[];
}

export function use(code: string, decorate: Use['decorate'], ...near: readonly unknown[]): Use {
  return { code, decorate, near };
}

import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { Problem } from '../errors/definition-error.js';
import { isObject } from '../protocol/json.js';

/** An extension of the protocol that brings definitions along. */
export interface AppExtension {
  /** What it serves beside its own methods: compiled, checked and guarded like everything else in the app. */
  readonly definitions?: readonly FunctionDefinition[];
  /** What is wrong with what it was given; reported with everything else that is wrong. */
  readonly problems?: readonly Problem[];
  readonly create: ExtensionFactory;
}

/** Gives every extension the same shape. */
export function toAppExtension(extension: ExtensionFactory | AppExtension): AppExtension {
  return typeof extension === 'function' ? { create: extension } : extension;
}

/** Whether a value can be given as an extension. A promise of one cannot: it is to be awaited first. */
export function isExtension(value: unknown): value is ExtensionFactory | AppExtension {
  return typeof value === 'function' || (isObject(value) && typeof value['create'] === 'function');
}

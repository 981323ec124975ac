import { messageOf } from '../errors/from-unknown.js';

const METHODS = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'destroy'] as const;

/** Something to dispose of, by the name its author knows. */
export interface Disposable {
  readonly name: string;
  readonly dispose: () => unknown;
}

/**
 * Disposes of instances, those made last first, each awaited before the next. One that fails does not keep the others.
 *
 * @throws AggregateError with everything that failed, each with the name of the service.
 */
export async function dispose(disposables: readonly Disposable[]): Promise<void> {
  const failures: Error[] = [];
  for (const { name, dispose } of [...disposables].reverse()) {
    try {
      await dispose();
    } catch (error) {
      failures.push(new Error(`${name} failed to close: ${messageOf(error)}`, { cause: error }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
}

/** How an instance wants to be disposed of, if at all. */
export function disposerOf(instance: unknown): (() => unknown) | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  for (const key of METHODS) {
    // Symbol.dispose is undefined on engines that do not know it yet.
    const method = key === undefined ? undefined : (instance as Record<PropertyKey, unknown>)[key];
    if (typeof method === 'function') return () => method.call(instance) as unknown;
  }
  return undefined;
}

const METHODS = [Symbol.asyncDispose, Symbol.dispose, 'onClose', 'destroy'] as const;

/**
 * Disposes of instances, those made last first, each awaited before the next. One that fails does not keep the others.
 *
 * @throws AggregateError with everything that failed.
 */
export async function dispose(instances: readonly unknown[]): Promise<void> {
  const failures: unknown[] = [];
  for (const instance of [...instances].reverse()) {
    try {
      await disposerOf(instance)?.();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'services failed to close');
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

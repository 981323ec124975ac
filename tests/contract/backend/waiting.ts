/** Waits for a time, in milliseconds. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until something is true: as long as a busy machine may need, and no longer. */
export async function until(holds: () => boolean | Promise<boolean>, mostMs = 20_000): Promise<void> {
  for (const deadline = Date.now() + mostMs; !(await holds()); await wait(5)) {
    if (Date.now() > deadline) throw new Error(`It did not come true within ${mostMs} ms: ${String(holds)}`);
  }
}

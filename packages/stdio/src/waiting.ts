/** A promise and the function that resolves it. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits for a promise, but not longer than `ms` milliseconds; the wait alone keeps no process alive. */
export async function within(ms: number, promise: Promise<void>): Promise<void> {
  const { promise: late, resolve } = deferred();
  const timer = setTimeout(resolve, ms).unref();
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/**
 * Waits for something, but not for long.
 *
 * @param ms how long, in milliseconds.
 * @throws Error with the message when it takes longer.
 */
export async function within<T>(ms: number, promise: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(message)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Something took too long. */
export class LateError extends Error {}

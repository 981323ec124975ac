/**
 * Waits for a promise no longer than a time.
 *
 * @param ms milliseconds.
 * @throws NoAnswerError when it takes longer; what becomes of it then, no one hears.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`PostgreSQL did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A database that has not answered in time. */
export class NoAnswerError extends Error {}

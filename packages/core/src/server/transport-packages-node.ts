import type { Inspectable } from './app-parts.js';
import type { ImportedTransport } from './transport-packages.js';

/**
 * Imports the package of a transport on Node. The code contains the name of each package as a literal, so that
 * bundlers include the package. The field `imports` of `package.json` defines when `#transport-packages` refers to
 * this file.
 */
export async function importTransport(name: '@sigil/http' | '@sigil/stdio'): Promise<ImportedTransport> {
  // Awaited within `try`, so that bundlers ignore a missing package. Asserted, because the compiler need not resolve
  // the packages: they depend on this one.
  try {
    const module: unknown =
      name === '@sigil/http' ? await import('@sigil/http' as string) : await import('@sigil/stdio' as string);
    return { module: module as object };
  } catch (error) {
    return { error };
  }
}

/** Returns the information that `SIGIL_INSPECT` requests from a Node program; see `inspect.ts`. */
export async function answerQuestion(app: Inspectable): Promise<string> {
  const inspect = await import('./inspect.js');
  return inspect.answerQuestion(app);
}

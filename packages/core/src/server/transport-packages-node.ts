import type { Inspectable } from './app-parts.js';
import type { ImportedTransport } from './transport-packages.js';

/**
 * Imports the package of a transport on Node. The name is written out, so that bundlers include the package.
 * `package.json` defines when this file is used for `#transport-packages`.
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

/** Answers the question in the environment of a Node program; see `inspect.ts`. */
export async function answerQuestion(app: Inspectable): Promise<string> {
  const inspect = await import('./inspect.js');
  return inspect.answerQuestion(app);
}

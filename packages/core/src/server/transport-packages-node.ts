import type { Inspectable } from './app-parts.js';
import type { ImportedTransport } from './transport-packages.js';

/**
 * Imports a package of a transport, on Node: named, so that bundlers take it along. `package.json` says under which conditions this file
 * stands for `#transport-packages`.
 */
export async function importTransport(name: '@sigil/http' | '@sigil/stdio'): Promise<ImportedTransport> {
  // Awaited within `try`, where bundlers leave a package alone that is not installed. Asserted, because the compiler need not look the
  // packages up: they depend on this one.
  try {
    const module: unknown =
      name === '@sigil/http' ? await import('@sigil/http' as string) : await import('@sigil/stdio' as string);
    return { module: module as object };
  } catch (error) {
    return { error };
  }
}

/** Answers what the environment asks a program of Node; see `inspect.ts`. */
export async function answerQuestion(app: Inspectable): Promise<string> {
  const inspect = await import('./inspect.js');
  return inspect.answerQuestion(app);
}

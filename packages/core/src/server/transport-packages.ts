/** What a package of a transport exports, or the error that its import ended in. */
export type ImportedTransport = { readonly module: object } | { readonly error: unknown };

/**
 * Imports a package of a transport: elsewhere than on Node (`transport-packages-node.ts`), where what such a package needs is not there.
 * No bundler sees by this import which package is meant, so that none takes it along.
 */
export async function importTransport(name: '@sigil/http' | '@sigil/stdio'): Promise<ImportedTransport> {
  try {
    return { module: (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as object };
  } catch (error) {
    return { error };
  }
}

/** Elsewhere than on Node no program is asked: what would answer takes no room there. */
export function answerQuestion(): Promise<never> {
  throw new Error('SIGIL_INSPECT asks programs of Node');
}

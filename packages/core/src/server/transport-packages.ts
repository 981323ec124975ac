/** The exports of a transport package, or the error that the import of the package caused. */
export type ImportedTransport = { readonly module: object } | { readonly error: unknown };

/**
 * Imports the package of a transport on platforms other than Node. Bundlers cannot resolve this import. Bundles
 * therefore do not contain the package, which needs modules that only Node has. On Node, `transport-packages-node.ts`
 * is used instead.
 */
export async function importTransport(name: '@sigil/http' | '@sigil/stdio'): Promise<ImportedTransport> {
  try {
    return { module: (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as object };
  } catch (error) {
    return { error };
  }
}

/**
 * Throws an error, because only Node programs can answer a request of `SIGIL_INSPECT`. This function keeps the code for
 * answers out of bundles for other platforms.
 */
export function answerQuestion(): Promise<never> {
  throw new Error('SIGIL_INSPECT asks programs of Node');
}

/** The exports of a transport package, or the error of its import. */
export type ImportedTransport = { readonly module: object } | { readonly error: unknown };

/**
 * Imports a package of a transport on platforms other than Node, where its dependencies are missing (on Node:
 * `transport-packages-node.ts`). Bundlers cannot resolve this import, so none includes the package.
 */
export async function importTransport(name: '@sigil/http' | '@sigil/stdio'): Promise<ImportedTransport> {
  try {
    return { module: (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as object };
  } catch (error) {
    return { error };
  }
}

/**
 * Refuses to answer questions, which only Node programs do. Bundles for other platforms therefore do not
 * contain the code for answers.
 */
export function answerQuestion(): Promise<never> {
  throw new Error('SIGIL_INSPECT asks programs of Node');
}

import { createRequire } from 'node:module';

/** The version of this package, as its own manifest says: found by its name, wherever this code is bundled to. */
export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('@sigil/cli/package.json') as { readonly version: string };
  return manifest.version;
}

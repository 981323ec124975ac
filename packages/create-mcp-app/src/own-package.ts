import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of this package, found by its name, wherever this code is bundled to. */
export function ownFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('create-mcp-app/package.json'));
}

/** The version of this package, as its manifest says. */
export function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ownFolder(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

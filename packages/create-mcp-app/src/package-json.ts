import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isObject, parseJson } from './json.js';

/** The members of a `package.json` that `create-mcp-app` uses. */
export interface Manifest {
  readonly name?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** The peer dependencies of the package, without optional ones. */
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Parses a `package.json`. @returns `undefined` if the text is not a JSON object. */
export function readManifest(text: string): Manifest | undefined {
  const json = parseJson(text);
  if (!isObject(json)) return undefined;
  const meta = json['peerDependenciesMeta'];
  const isOptional = (name: string): boolean => {
    const facts = isObject(meta) ? meta[name] : undefined;
    return isObject(facts) && facts['optional'] === true;
  };
  const peers = Object.entries(rangesOf(json['peerDependencies'])).filter(([name]) => !isOptional(name));
  return {
    ...(typeof json['name'] === 'string' ? { name: json['name'] } : {}),
    dependencies: rangesOf(json['dependencies']),
    devDependencies: rangesOf(json['devDependencies']),
    peerDependencies: Object.fromEntries(peers),
  };
}

/** Returns the names of a package's dependencies and development dependencies. */
export function dependencyNames({ dependencies, devDependencies }: Manifest): string[] {
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

function rangesOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/**
 * Returns the folder of the package `create-mcp-app`. The folder is found by the package name, so that bundled
 * code finds it too.
 */
export function ownFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('create-mcp-app/package.json'));
}

/** Returns the version of `create-mcp-app`, from its `package.json`. */
export function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ownFolder(), 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

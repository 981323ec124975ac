import { isObject, parseJson } from '../json.js';

/** What is read of a `package.json`. */
export interface Manifest {
  readonly name?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** Those that users of the package must have; optional ones are left out. */
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Reads a `package.json`. `undefined` when it is none. */
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

/** The names of all packages that a package asks for. */
export function dependencyNames({ dependencies, devDependencies }: Manifest): string[] {
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

function rangesOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

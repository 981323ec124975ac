import validate from 'validate-npm-package-name';
import { DEFAULT_DIRECTORY } from './default-directory.js';

/** What is wrong with a name, and a name like it that is right. */
export interface NameProblem {
  readonly why: string;
  readonly suggestion: string;
}

/**
 * Tells whether npm takes a name for a new package.
 *
 * @param taken names of packages that the project will use: npm installs no package into one of its name.
 * @returns what is wrong; `undefined` when nothing is.
 */
export function nameProblem(name: string, taken: ReadonlySet<string>): NameProblem | undefined {
  const why = taken.has(name) ? 'is the name of a package it uses' : complaint(name);
  return why === undefined ? undefined : { why, suggestion: suggest(name, taken) };
}

function complaint(name: string): string | undefined {
  const { validForNewPackages, errors = [], warnings = [] } = validate(name);
  if (validForNewPackages) return undefined;
  const [reason] = [...errors, ...warnings];
  return `is no npm name (${reason ?? 'it is refused'})`;
}

function suggest(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '');
  const fits = (candidate: string): boolean => complaint(candidate) === undefined && !taken.has(candidate);
  return [plain, `${plain}-server`].find(fits) ?? DEFAULT_DIRECTORY;
}

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
  const suggestion = (): string => suggest(name, taken);
  if (taken.has(name)) return { why: 'is the name of a package it uses', suggestion: suggestion() };
  if (!validate(name).validForNewPackages) return { why: 'is no npm name', suggestion: suggestion() };
  return undefined;
}

function suggest(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '');
  const fits = (candidate: string): boolean =>
    validate(candidate).validForNewPackages && !taken.has(candidate);
  return plain === '' ? DEFAULT_DIRECTORY : ([plain, `${plain}-server`].find(fits) ?? DEFAULT_DIRECTORY);
}

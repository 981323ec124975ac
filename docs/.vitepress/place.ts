import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const { homepage, repository } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  homepage: string;
  repository: { url: string };
};

/** Where the site is, with a slash at its end: `homepage` of the package.json of the repository. */
export const HOMEPAGE = homepage;

/** The path of the site on its host. */
export const BASE = new URL(homepage).pathname;

/** Where the sources are. */
export const REPOSITORY = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

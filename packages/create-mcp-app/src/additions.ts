import { isObject } from './json.js';
import type { ProjectFiles } from './write-project.js';

/** The values of `--auth`: how a new server authenticates its callers over HTTP. `none` adds no files. */
export const AUTH_NAMES = ['none', 'oauth'] as const;

/** A value of `--auth`. */
export type AuthName = (typeof AUTH_NAMES)[number];

/** The values of `--ui`: the framework of the view that shows results. `none` adds no view. */
export const UI_NAMES = ['none', 'vanilla', 'react', 'svelte'] as const;

/** A value of `--ui`. */
export type UiName = (typeof UI_NAMES)[number];

/** Pages whose sections are merged. Other files of an addition replace existing ones. */
const PAGES: ReadonlySet<string> = new Set(['README.md', 'AGENTS.md']);

/**
 * Merges the files of an addition, such as `oauth`, into the files of a project. Sections of `README.md` and
 * `AGENTS.md` are merged, and so are scripts and packages in `package.json`. Other files of the addition replace
 * project files with the same path. A file `.env.example` is also copied to `.env`.
 */
export function withAddition(files: ProjectFiles, addition: ProjectFiles): ProjectFiles {
  const merged = new Map(files);
  for (const [path, content] of addition) {
    const before = String(files.get(path) ?? '');
    if (PAGES.has(path)) merged.set(path, withSections(before, String(content)));
    else if (path === 'package.json') merged.set(path, withMembers(before, String(content)));
    else merged.set(path, content);
  }
  const settings = merged.get('.env.example');
  return settings === undefined ? merged : merged.set('.env', settings);
}

/**
 * Merges sections into a page. A section replaces the one with the same title. Others are inserted after the
 * section that precedes them in the addition, or at the beginning.
 */
function withSections(page: string, added: string): string {
  const [intro = '', ...sections] = page.split(SECTION);
  let at = 0;
  for (const section of added.split(SECTION)) {
    const same = sections.findIndex((one) => titleOf(one) === titleOf(section));
    if (same < 0) sections.splice(at, 0, section);
    else sections[same] = section;
    at = (same < 0 ? at : same) + 1;
  }
  return [intro, ...sections].map((part) => `${part.trimEnd()}\n`).join('\n');
}

/** The beginning of a section. */
const SECTION = /^(?=## )/m;

function titleOf(section: string): string {
  return section.slice(0, section.indexOf('\n'));
}

/** The members of `package.json` that are merged: scripts and packages. */
const MEMBERS = ['scripts', 'dependencies', 'devDependencies'] as const;

/**
 * Merges members of a `package.json`. Those of the addition override existing ones. Packages are sorted by
 * name, as npm does.
 */
function withMembers(manifest: string, added: string): string {
  const project = JSON.parse(manifest) as Record<string, unknown>;
  const more = JSON.parse(added) as Record<string, unknown>;
  for (const member of MEMBERS) {
    const own = isObject(project[member]) ? project[member] : {};
    const others = isObject(more[member]) ? more[member] : {};
    const all = Object.entries({ ...own, ...others });
    if (member !== 'scripts') all.sort(([one], [other]) => (one < other ? -1 : 1));
    project[member] = Object.fromEntries(all);
  }
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

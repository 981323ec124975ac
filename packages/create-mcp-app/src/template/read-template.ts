import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectFiles } from '../project/project-files.js';
import { templatesFolder } from './template-facts.js';
import type { TemplateName } from './template-names.js';

/** What working in the folder of a template leaves there, and a project gets anew. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'package-lock.json']);

/** Names that npm would leave out of a package, as they are kept there. */
const KEPT_AS = /(^|\/)_(gitignore|npmrc)$/;

/** The files of a new project: those of the template, under the name of the project. */
export async function readTemplate(template: TemplateName, projectName: string): Promise<ProjectFiles> {
  const folder = join(templatesFolder(), template);
  const paths = await filesBelow(folder);
  const contents = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return new Map(
    paths.map((path, at) => [
      path.replace(KEPT_AS, '$1.$2'),
      (contents[at] ?? '').replaceAll(`template-${template}`, projectName),
    ]),
  );
}

async function filesBelow(folder: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !LEFT_OUT.has(name) && !name.endsWith('.tsbuildinfo'));
  const paths = await Promise.all(
    kept.map(async (entry) => {
      const path = `${prefix}${entry.name}`;
      return entry.isDirectory() ? await filesBelow(folder, `${path}/`) : [path];
    }),
  );
  return paths.flat().sort();
}

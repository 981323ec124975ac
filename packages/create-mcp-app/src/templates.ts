import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dependencyNames, ownFolder, readManifest } from './package-json.js';
import type { ProjectFiles } from './write-project.js';

/** The templates there are, the one for beginners first. */
export const TEMPLATE_NAMES = ['minimal', 'http', 'full'] as const;

/** The name of a template. */
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** A call that a server of a template answers. */
export interface SampleCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is said of a template, and how to try what it gives. */
export interface TemplateDetails {
  readonly description: string;
  readonly sample: SampleCall;
}

/** The folder with the templates. */
function templatesFolder(): string {
  return join(ownFolder(), 'templates');
}

/** What is known of every template. */
export type AllTemplateDetails = Readonly<Record<TemplateName, TemplateDetails>>;

/** The templates, by their names. */
export function templateDetails(): AllTemplateDetails {
  const text = readFileSync(join(templatesFolder(), 'samples.json'), 'utf8');
  return JSON.parse(text) as AllTemplateDetails;
}

/** The packages that projects use: npm installs no package into one of its name. */
export function packagesOfTemplates(templates: AllTemplateDetails): ReadonlySet<string> {
  const names = Object.keys(templates).flatMap((template) => {
    const manifest = readManifest(readFileSync(join(templatesFolder(), template, 'package.json'), 'utf8'));
    return manifest ? dependencyNames(manifest) : [];
  });
  return new Set(names);
}

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

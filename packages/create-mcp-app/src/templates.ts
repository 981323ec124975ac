import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AUTH_NAMES, type AuthName, UI_NAMES, type UiName, withAddition } from './additions.js';
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

/** The description of a template, and a sample call for its project. */
export interface TemplateDetails {
  readonly description: string;
  readonly sample: SampleCall;
  /** The additions that `--auth` may choose; none by default. */
  readonly auth?: readonly AuthName[];
}

/** The details of every template. */
export type AllTemplateDetails = Readonly<Record<TemplateName, TemplateDetails>>;

/** The templates, by their names. */
export function templateDetails(): AllTemplateDetails {
  const text = readFileSync(join(ownFolder(), 'templates', 'samples.json'), 'utf8');
  return JSON.parse(text) as AllTemplateDetails;
}

/** The folder of a template. */
const templateFolder = (name: TemplateName): string => join(ownFolder(), 'templates', name);

/** The folder of an addition. */
const additionFolder = (name: string): string => join(ownFolder(), 'additions', name);

/** The additions of a project besides its template. */
export interface Added {
  readonly auth: AuthName;
  readonly ui: UiName;
}

/** The additions that make it, in order. All views have the same server. */
function additionsFor({ auth, ui }: Added): string[] {
  return [...(auth === 'none' ? [] : [auth]), ...(ui === 'none' ? [] : ['view', `view-${ui}`])];
}

/** The packages that projects use: npm installs no package into one of its name. */
export function packagesOfTemplates(): ReadonlySet<string> {
  const auth = AUTH_NAMES.flatMap((auth) => additionsFor({ auth, ui: 'none' }));
  const ui = UI_NAMES.flatMap((ui) => additionsFor({ auth: 'none', ui }));
  const additions = [...auth, ...ui].map(additionFolder);
  const names = [...TEMPLATE_NAMES.map(templateFolder), ...additions].flatMap((folder) => {
    const manifest = readManifest(readFileSync(join(folder, 'package.json'), 'utf8'));
    return manifest ? dependencyNames(manifest) : [];
  });
  return new Set(names);
}

/** The files that serve the template `http`. A project of another template needs them for users who log in. */
const SERVED_BY = [
  '.dockerignore',
  '.vscode/mcp.json',
  'Dockerfile',
  'src/main.ts',
  'src/server.ts',
  'src/runtime.ts',
  'test/runtime.test.ts',
];

/** The files of a new project: those of the template and its additions, under the name of the project. */
export async function readTemplate(
  template: TemplateName,
  projectName: string,
  added: Added = { auth: 'none', ui: 'none' },
): Promise<ProjectFiles> {
  const read = (folder: string): Promise<ProjectFiles> => readFolder(folder, projectName);
  const files = new Map(await read(templateFolder(template)));
  if (added.auth !== 'none') {
    const http = await read(templateFolder('http'));
    for (const path of SERVED_BY) files.set(path, http.get(path) ?? '');
  }
  const additions = await Promise.all(additionsFor(added).map((name) => read(additionFolder(name))));
  return additions.map(ofProject).reduce(withAddition, files);
}

/** The files of an addition, under its own name. */
export async function readAddition(name: string): Promise<ProjectFiles> {
  return readFolder(additionFolder(name));
}

/** An addition without its own compiler settings: the project has those of its template. */
function ofProject(addition: ProjectFiles): ProjectFiles {
  return new Map([...addition].filter(([path]) => path !== 'tsconfig.json'));
}

/** Files in a template's folder that a project creates anew. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'package-lock.json']);

/** Names that npm would leave out of a package, as they are kept there. */
const KEPT_AS = /(^|\/)_(gitignore|npmrc)$/;

/** The files of a folder, with the project's name in place of the package's. */
async function readFolder(folder: string, projectName?: string): Promise<ProjectFiles> {
  const paths = await filesBelow(folder);
  const contents = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  const { name = '' } = readManifest(contents[paths.indexOf('package.json')] ?? '') ?? {};
  return new Map(
    paths.map((path, at) => [
      path.replace(KEPT_AS, '$1.$2'),
      (contents[at] ?? '').replaceAll(name, projectName ?? name),
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

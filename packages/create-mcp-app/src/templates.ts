import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AUTH_NAMES, type AuthName, UI_NAMES, type UiName, withAddition } from './additions.js';
import { dependencyNames, ownFolder, readManifest } from './package-json.js';
import type { ProjectFiles } from './write-project.js';

/** The names of all project templates. The first is for beginners. */
export const TEMPLATE_NAMES = ['minimal', 'http', 'full'] as const;

/** The name of a template. */
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** A tool call that shows whether a new server works. */
export interface SampleCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The description of a template, and a sample call to its server. */
export interface TemplateDetails {
  readonly description: string;
  readonly sample: SampleCall;
  /** The values of `--auth` that the template supports in addition to `none`; absent if `none` is the only one. */
  readonly auth?: readonly AuthName[];
}

/** The details of every template. */
export type AllTemplateDetails = Readonly<Record<TemplateName, TemplateDetails>>;

/** Returns the details of all templates, by name. */
export function templateDetails(): AllTemplateDetails {
  const text = readFileSync(join(ownFolder(), 'templates', 'samples.json'), 'utf8');
  return JSON.parse(text) as AllTemplateDetails;
}

/** Returns the folder of a template. */
const templateFolder = (name: TemplateName): string => join(ownFolder(), 'templates', name);

/** Returns the folder of an addition. */
const additionFolder = (name: string): string => join(ownFolder(), 'additions', name);

/** The choices that add files to those of a template. */
export interface Added {
  readonly auth: AuthName;
  readonly ui: UiName;
}

/** Returns the names of a project's additions, in order. All views use the same server code. */
function additionsFor({ auth, ui }: Added): string[] {
  return [...(auth === 'none' ? [] : [auth]), ...(ui === 'none' ? [] : ['view', `view-${ui}`])];
}

/**
 * Returns the names of the packages that projects depend on. A project must not have one of these names: npm does not
 * install a package into a project of the same name.
 */
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

/** Files of the template `http` that a project from another template needs if users log in. */
const SERVED_BY = [
  '.dockerignore',
  '.vscode/mcp.json',
  'Dockerfile',
  'src/main.ts',
  'src/server.ts',
  'src/runtime.ts',
  'test/runtime.test.ts',
];

/**
 * Returns the files of a new project: the files of its template and its additions, with the project's name inserted.
 */
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

/** Returns the files of an addition. The addition's name is inserted in place of a project's name. */
export async function readAddition(name: string): Promise<ProjectFiles> {
  return readFolder(additionFolder(name));
}

/** Removes the compiler settings of an addition, because the project has those of its template. */
function ofProject(addition: ProjectFiles): ProjectFiles {
  return new Map([...addition].filter(([path]) => path !== 'tsconfig.json'));
}

/** Files in the folder of a template that are not copied, because the project creates them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'package-lock.json']);

/** Files under a changed name, because npm would not include them in a package under their real name. */
const KEPT_AS = /(^|\/)_(gitignore|npmrc)$/;

/** Reads the files of a folder, with the project's name instead of the package's. */
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

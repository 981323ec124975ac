import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type App, type AppOptions, createApp } from '@sigil/core';

const FOLDER = fileURLToPath(new URL('../../packages/create-mcp-app/templates/', import.meta.url));

/** What an npm manifest says. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** What the scaffolder knows of a template besides its files. */
export interface Sample {
  readonly description: string;
  readonly sample: { readonly tool: string; readonly arguments: object };
}

/** The templates that are there. */
export const TEMPLATES: readonly string[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** What `samples.json` says, by template. */
export const SAMPLES = JSON.parse(readFileSync(join(FOLDER, 'samples.json'), 'utf8')) as Record<
  string,
  Sample
>;

/** The word that stands for the project's name in a template. */
export function nameIn(template: string): string {
  return `template-${template}`;
}

/** The files a project gets: all but what installing and compiling make. Sorted, with slashes. */
export function filesOf(template: string): string[] {
  const root = join(FOLDER, template);
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/^(node_modules|dist)\//.test(path))
    .sort();
}

/** The text of a file of a template. */
export function read(template: string, path: string): string {
  return readFileSync(join(FOLDER, template, path), 'utf8');
}

export function manifestOf(template: string): Manifest {
  return JSON.parse(read(template, 'package.json')) as Manifest;
}

/** The server of a template, as its build compiled it. */
export async function serverOf(template: string): Promise<App> {
  const url = pathToFileURL(join(FOLDER, template, 'dist/app.js')).href;
  const { options } = (await import(url)) as { options: AppOptions };
  return createApp(options);
}

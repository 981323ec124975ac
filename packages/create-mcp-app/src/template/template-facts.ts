import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../own-package.js';
import { dependencyNames, readManifest } from '../project/manifest.js';
import type { TemplateName } from './template-names.js';

/** A call that a server of a template answers. */
export interface SampleCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is said of a template, and how to try what it gives. */
export interface TemplateFacts {
  readonly description: string;
  readonly sample: SampleCall;
}

/** The folder with the templates. */
export function templatesFolder(): string {
  return join(ownFolder(), 'templates');
}

/** What is known of every template. */
export type AllTemplateFacts = Readonly<Record<TemplateName, TemplateFacts>>;

/** The templates, by their names. */
export function templateFacts(): AllTemplateFacts {
  const text = readFileSync(join(templatesFolder(), 'samples.json'), 'utf8');
  return JSON.parse(text) as AllTemplateFacts;
}

/** The packages that projects use: npm installs no package into one of its name. */
export function packagesOfTemplates(templates: AllTemplateFacts): ReadonlySet<string> {
  const names = Object.keys(templates).flatMap((template) => {
    const manifest = readManifest(readFileSync(join(templatesFolder(), template, 'package.json'), 'utf8'));
    return manifest ? dependencyNames(manifest) : [];
  });
  return new Set(names);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../own-package.js';
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

/** The templates, by their names. */
export function templateFacts(): Readonly<Record<TemplateName, TemplateFacts>> {
  const text = readFileSync(join(templatesFolder(), 'samples.json'), 'utf8');
  return JSON.parse(text) as Record<TemplateName, TemplateFacts>;
}

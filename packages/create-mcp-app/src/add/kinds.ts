import type { AddedFiles } from './added-files.js';
import type { AddedNames } from './added-names.js';
import { promptFiles } from './prompt-files.js';
import { resourceFiles } from './resource-files.js';
import { serviceFiles } from './service-files.js';
import { toolFiles } from './tool-files.js';

/** What can be added to a project, as it is called on the command line. */
export const KIND_NAMES = ['tool', 'resource', 'prompt', 'service'] as const;

/** What is added. */
export type KindName = (typeof KIND_NAMES)[number];

/** A kind of class that can be added. */
export interface Kind {
  /** The folder below `src`. */
  readonly folder: string;
  /** Whether clients see it: a service is found by the class that injects it. */
  readonly isServed: boolean;
  files(names: AddedNames, module: string): AddedFiles;
}

/** The kinds, by their names. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  tool: { folder: 'tools', isServed: true, files: toolFiles },
  resource: { folder: 'resources', isServed: true, files: resourceFiles },
  prompt: { folder: 'prompts', isServed: true, files: promptFiles },
  service: { folder: 'services', isServed: false, files: serviceFiles },
};

import type { Problem } from '../errors/definition-error.js';
import type { Constructor } from '../protocol/constructor.js';
import type { ClassLibraries } from './class-libraries.js';
import type { RuleMetadata } from './rule-metadata.js';
import type { Transforms } from './read-transforms.js';

/** What reading a property needs to know. */
export interface PropertyContext {
  readonly cls: Constructor;
  readonly name: string;
  readonly own: readonly RuleMetadata[];
  readonly where: string;
  readonly problems: Problem[];
  readonly initial: Readonly<Record<string, unknown>> | undefined;
  readonly transforms: Transforms;
  readonly libraries: ClassLibraries;
}

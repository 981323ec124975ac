import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { DefinitionHooks } from '../registry/entry.js';

/** An extension of the protocol that takes part in definitions, or brings some along. */
export interface AppExtension extends DefinitionHooks {
  /** What it serves beside its own methods: compiled, checked and guarded like everything else in the app. */
  readonly definitions?: readonly FunctionDefinition[];
  /** What is wrong with what it was given; reported with everything else that is wrong. */
  readonly problems?: readonly DefinitionProblem[];
  /** Makes its part of the protocol. */
  readonly create: ExtensionFactory;
}

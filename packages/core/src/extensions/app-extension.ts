import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { DefinitionHooks } from '../registry/entry.js';

/** An extension of the protocol that takes part in definitions, or brings some along. */
export interface AppExtension extends DefinitionHooks {
  /** Further definitions that it serves: compiled, checked and guarded like all others of the app. */
  readonly definitions?: readonly FunctionDefinition[];
  /** Faults in its options; reported with all other problems. */
  readonly problems?: readonly DefinitionProblem[];
  /** Makes its part of the protocol. */
  readonly create: ExtensionFactory;
}

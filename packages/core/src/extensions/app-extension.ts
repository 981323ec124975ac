import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { DefinitionHooks } from '../registry/entry.js';

/** An extension of the protocol that also takes part in the app's definitions, or adds its own. */
export interface AppExtension extends DefinitionHooks {
  /**
   * Further definitions that the extension serves. They are compiled, checked and guarded like all definitions of the
   * app.
   */
  readonly definitions?: readonly FunctionDefinition[];
  /** Faults in its options; reported with all other problems. */
  readonly problems?: readonly DefinitionProblem[];
  /** Creates the extension's part of the protocol. */
  readonly create: ExtensionFactory;
}

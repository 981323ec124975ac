import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { DefinitionHooks } from '../registry/entry.js';

/** An extension of the protocol that also changes the app's definitions, or adds further definitions. */
export interface AppExtension extends DefinitionHooks {
  /**
   * Further definitions that the extension serves. They are compiled, checked and guarded like all definitions of the
   * app.
   */
  readonly definitions?: readonly FunctionDefinition[];
  /** Faults in the extension's options. They are reported together with all other problems of the app. */
  readonly problems?: readonly DefinitionProblem[];
  /** Creates the extension's part of the protocol. */
  readonly create: ExtensionFactory;
}

import type { FunctionDefinition } from '../decorators/define.js';
import type { ExtensionFactory } from '../engine/extension.js';
import type { DefinitionProblem } from '../errors/errors.js';
import type { DefinitionHooks } from '../registry/entry.js';

/** An extension of the protocol that can also change the app's definitions, or add further definitions. */
export interface AppExtension extends DefinitionHooks {
  /**
   * Further definitions that the extension serves. They are compiled, checked and guarded like all definitions of the
   * app.
   */
  readonly definitions?: readonly FunctionDefinition[];
  /** Faults in the extension's options. They are reported together with all other problems of the app. */
  readonly problems?: readonly DefinitionProblem[];
  /** Creates the part of the extension that serves the protocol. */
  readonly create: ExtensionFactory;
}

import type { Backend } from '../backend/backend.js';
import type { Container } from '../container/container.js';
import type { HookWatch } from '../container/lifecycle.js';
import type { Engine } from '../engine/engine.js';
import type { DefinitionHooks } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import type { Endpoint } from '../transport/transport.js';
import type { AuditTrail } from './audit.js';
import type { Define } from './live-collection.js';
import type { Readiness } from './readiness.js';
import type { RelayLogger } from './relay-logger.js';

/** The internal parts of an app, for functions that inspect or build it. */
export interface AppParts {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: RelayLogger;
  readonly instructions: string | undefined;
  readonly hooks: readonly DefinitionHooks[];
  readonly define: Define;
  /** Whether the process only runs tasks, and serves no clients. */
  readonly isWorker: boolean;
  readonly readiness: Readiness;
  /** The backend that the app shares with other processes, if there is one. */
  readonly backend: Backend | undefined;
  readonly audit: AuditTrail | undefined;
  readonly watch: HookWatch;
  /**
   * A function that restores standard output if `createApp()` has redirected it to standard error. Called when the app
   * starts to serve, is mounted, is inspected or is closed. Further calls have no effect.
   */
  readonly releaseStdout: () => void;
}

const PARTS = Symbol.for('sigil:app-parts');

/** The result of `createApp()`, for functions that inspect it. */
export interface Inspectable {
  readonly endpoint: Endpoint;
}

/** Stores the internal parts of an app, so that `partsOf()` can return them. */
export function keepParts(app: Inspectable, parts: AppParts): void {
  Object.defineProperty(app, PARTS, { value: parts });
}

/**
 * Returns the internal parts of an app. The app can come from this copy of the package or from another copy.
 *
 * @throws TypeError if the value is not an app.
 */
export function partsOf(app: Inspectable): AppParts {
  const parts = (app as { readonly [PARTS]?: AppParts })[PARTS];
  if (!parts)
    throw new TypeError(
      'this function needs the app from createApp(); await the promise that createApp() returns',
    );
  return parts;
}

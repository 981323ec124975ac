import { type Inspectable, partsOf } from './app-parts.js';
import type { Container } from '../container/container.js';
import type { Logger } from '../protocol/logging.js';
import { recovered } from '../protocol/maybe-promise.js';
import type { Principal } from '../protocol/principal.js';
import type { Entry } from '../registry/entry.js';
import type { Registry } from '../registry/registry.js';
import { nearest } from '../protocol/nearest.js';
import type { Call } from '../context/call.js';

/** The name and version of the format of an explanation. */
export const EXPLANATION_FORMAT = 'sigil-explanation/1';

/** Explains why a client does or does not see a definition of a server. */
export interface Explanation {
  readonly format: typeof EXPLANATION_FORMAT;
  readonly name: string;
  /** The kind of the definition; absent if no definition has this name. */
  readonly kind?: Entry['kind'];
  /** The place of the definition in the source, such as `Inventory.checkInventory`. */
  readonly where?: string;
  /**
   * If no definition has this name: at most three similar names, the most similar first. Otherwise, the list is empty.
   */
  readonly nearest: readonly string[];
  /** Whether the definition is hidden from clients with sessions (revision 2025-11-25 or earlier). */
  readonly hiddenFromSessions: boolean;
  /** The `_meta` that clients see in lists. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The names of the guards' classes or functions, in the order the guards run. */
  readonly guards: readonly string[];
  /** The name of the first guard that refuses or fails; absent if all guards allow the call. */
  readonly refusedBy?: string;
}

const MOST_NEAR = 3;

/**
 * Explains why a client does or does not see a tool, a prompt or a resource. This call runs the guards of the
 * definition, just as a list request of a client does.
 *
 * @param app the result of `createApp()`. If `createApp()` has redirected standard output, this call ends the
 *   redirection.
 * @param name the name of a tool or prompt, the URI of a resource, or a URI template.
 * @param principal the principal of the client; by default, the client has none.
 * @returns the explanation. If a guard hides the definition, the explanation contains the name of the guard.
 * @example
 * ```ts
 * const { refusedBy } = await explain(app, 'delete_ticket', { id: 'ada', scopes: [] });
 * ```
 */
export async function explain(app: Inspectable, name: string, principal?: Principal): Promise<Explanation> {
  const { engine, registry, container, logger, releaseStdout } = partsOf(app);
  releaseStdout();
  const entry =
    registry.tools.get(name) ??
    registry.prompts.get(name) ??
    registry.templates.get(name) ??
    registry.resolveUri(name)?.entry;
  const format = EXPLANATION_FORMAT;
  if (!entry)
    return { format, name, nearest: nearestTo(name, registry), hiddenFromSessions: false, guards: [] };
  const { _meta } = entry.descriptor;
  const refusedBy = await firstRefusal(entry, engine.hypotheticalCall(principal), container, logger);
  return {
    format,
    name,
    kind: entry.kind,
    where: entry.where,
    nearest: [],
    hiddenFromSessions: entry.kind === 'tool' && engine.isHiddenFromSessions(entry),
    ...(_meta === undefined ? {} : { _meta }),
    guards: (entry.guards ?? []).map((guard) => guard.name),
    ...(refusedBy === undefined ? {} : { refusedBy }),
  };
}

async function firstRefusal(
  { guards = [] }: Entry,
  call: Call,
  container: Container,
  logger: Logger,
): Promise<string | undefined> {
  try {
    for (const { name, allows } of guards) {
      const allowed = await recovered(
        () => allows(call),
        (error) => {
          logger.error({ err: error }, 'a guard failed');
          return false;
        },
      );
      if (!allowed) return name;
    }
    return undefined;
  } finally {
    await container.release?.(call);
  }
}

function nearestTo(name: string, { tools, prompts, resources, templates }: Registry): string[] {
  const candidates = new Set([...tools, ...prompts, ...resources, ...templates].map(({ key }) => key));
  const found: string[] = [];
  for (let best = nearest(name, [...candidates]); best !== undefined; best = nearest(name, [...candidates])) {
    found.push(best);
    candidates.delete(best);
    if (found.length === MOST_NEAR) break;
  }
  return found;
}

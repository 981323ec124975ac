import { ERROR_CODES } from '../errors/codes.js';
import { DefinitionError } from '../errors/definition-error.js';
import { ProtocolError } from '../errors/protocol-error.js';
import { isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { ToolEntry } from '../registry/entry.js';
import type { Exchange, MethodHandler } from './exchange.js';
import type { Extension, ExtensionMethod, ExtensionSettings, ToolDetour } from './extension.js';
import { declares, undeclared } from './declared-extension.js';
import { extensionProblems } from './extension-problems.js';
import type { Revision } from './revisions/index.js';

const DIRECT = Symbol('direct');

/** The extensions of one app, as the engine's own methods see them. */
export class Extensions {
  /** The methods they add, by name. */
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** The members of `params` that name what a request is about, by method. */
  readonly namedBy: ReadonlyMap<string, string>;
  readonly #extensions: readonly Extension[];
  readonly #detours = new WeakMap<ToolEntry, ToolDetour | typeof DIRECT>();

  /** @throws DefinitionError when two of them are the same extension, or add the same method. */
  constructor(extensions: readonly Extension[]) {
    this.#extensions = extensions;
    const problems = extensionProblems(extensions);
    if (problems.length > 0) throw new DefinitionError(problems);
    const added = extensions.flatMap((extension) =>
      Object.entries(extension.methods ?? {}).map(([name, method]) => ({ name, method, extension })),
    );
    this.methods = new Map(added.map(({ name, method, extension }) => [name, handlerOf(extension, method)]));
    this.namedBy = new Map(
      added.flatMap(({ name, method }) => (method.namedBy === undefined ? [] : [[name, method.namedBy]])),
    );
  }

  /** What clients of a revision are told under `capabilities.extensions`; `undefined` for nothing. */
  settings(revision: Revision): Readonly<Record<string, ExtensionSettings>> | undefined {
    const offered = this.#extensions
      .filter(({ inSessions = false }) => revision.stateless || inSessions)
      .flatMap((extension) => {
        const settings = extension.settings();
        return settings === undefined ? [] : [[extension.id, settings] as const];
      });
    return offered.length === 0 ? undefined : Object.fromEntries(offered);
  }

  /** Who takes part in the calls of a tool; `undefined` for most. The first extension that wants to does. */
  detour(tool: ToolEntry): ToolDetour | undefined {
    const known = this.#detours.get(tool);
    if (known) return known === DIRECT ? undefined : known;
    let detour: ToolDetour | undefined;
    for (const extension of this.#extensions) detour ??= extension.detour?.(tool);
    this.#detours.set(tool, detour ?? DIRECT);
    return detour;
  }

  /** Whether clients of a revision can use a tool at all. */
  shows(revision: Revision, tool: ToolEntry): boolean {
    return revision.stateless || this.detour(tool)?.hiddenFromSessions !== true;
  }

  /** The extensions' part of the filter of a subscription. */
  async listen(exchange: Exchange, wanted: Readonly<Record<string, unknown>>): Promise<object> {
    const parts = await Promise.all(
      this.#extensions.map(async (extension) => (await extension.listen?.(exchange, wanted)) ?? {}),
    );
    return Object.assign({}, ...parts) as object;
  }

  async close(): Promise<void> {
    await Promise.all(this.#extensions.map(async (extension) => extension.close?.()));
  }
}

function handlerOf(extension: Extension, method: ExtensionMethod): MethodHandler {
  const write = (exchange: Exchange, result: object): string => {
    const { resultType, ...members } = result as { resultType?: unknown };
    if (typeof resultType === 'string') exchange.resultType = resultType;
    return JSON.stringify(members);
  };
  return (exchange, params) => {
    if (extension.settings() === undefined) {
      throw new ProtocolError(ERROR_CODES.methodNotFound, `Method not found: ${exchange.method}`);
    }
    if (!method.undeclared && !declares(exchange, extension.id)) throw undeclared(extension.id);
    const result: MaybePromise<object> = method.serve(exchange, params);
    return isPromise(result) ? result.then((given) => write(exchange, given)) : write(exchange, result);
  };
}

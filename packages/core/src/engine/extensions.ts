import { headersFor } from '../context/call.js';
import { isToolError, missingExtension, Diagnostics } from '../errors/errors.js';
import { toolErrorResult } from '../invoke/failure.js';
import { isObject } from '../protocol/json.js';
import type { Logger } from '../protocol/logging.js';
import { after, type MaybePromise, observed, recovered } from '../protocol/maybe-promise.js';
import { METHODS } from '../protocol/protocol.js';
import type { ToolEntry } from '../registry/entry.js';
import { MethodNotFoundError } from './admission.js';
import type { EngineCall } from './engine-call.js';
import type { Exchange, MethodHandler } from './exchange.js';
import type {
  Extension,
  ExtensionCall,
  ExtensionMethod,
  ExtensionResult,
  ExtensionSettings,
  RecordedCall,
  ToolCalls,
} from './extension.js';
import { forModel, type MethodResult, type ResponseWriter } from './response.js';
import type { Revision } from './revisions/index.js';

const NO_PARTS: readonly ToolCalls[] = [];

/** The extensions of one app. */
export class Extensions {
  /** The methods that extensions add, by name. */
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /**
   * The extensions' functions that report about the app to the people who run the server, for example about tasks. The
   * environment variable `SIGIL_INSPECT` selects a function by its key.
   */
  readonly inspect: NonNullable<Extension['inspect']>;
  /** The extensions' checks for `/readyz`, by the name of the checked part. */
  readonly checks: NonNullable<Extension['checks']>;
  /** For each method, the member of `params` that the header `Mcp-Name` repeats, such as `taskId`. */
  readonly namedBy: ReadonlyMap<string, string>;
  readonly #inSessions: ReadonlySet<string>;
  /** The methods that clients with sessions may call, too. */
  readonly #sessionMethods: ReadonlySet<string>;
  readonly #toolCalls = new WeakMap<ToolEntry, readonly ToolCalls[]>();

  /** @throws DefinitionError if two extensions have the same id, or add the same method. */
  constructor(
    private readonly extensions: readonly Extension[],
    private readonly writer: ResponseWriter,
    private readonly logger: Logger,
  ) {
    checkExtensions(extensions);
    this.inspect = Object.fromEntries(extensions.flatMap(({ inspect = {} }) => Object.entries(inspect)));
    this.checks = Object.fromEntries(extensions.flatMap(({ checks = {} }) => Object.entries(checks)));
    this.#inSessions = new Set(extensions.flatMap(({ id, inSessions }) => (inSessions ? [id] : [])));
    const added = extensions.flatMap((extension) =>
      Object.entries(extension.methods ?? {}).map(([name, method]) => ({ name, method, extension })),
    );
    this.methods = new Map(
      added.map(({ name, method, extension }) => [name, handlerOf(extension, method, this.#inSessions)]),
    );
    this.#sessionMethods = new Set(
      added.flatMap(({ name, extension }) => (extension.inSessions ? [name] : [])),
    );
    this.namedBy = new Map(
      added.flatMap(({ name, method }) => (method.namedBy === undefined ? [] : [[name, method.namedBy]])),
    );
  }

  /** Whether an extension adds a method for clients of a revision. */
  serve(revision: Revision, method: string): boolean {
    return revision.sessions ? this.#sessionMethods.has(method) : this.methods.has(method);
  }

  /**
   * Returns `capabilities.extensions` for clients of a revision: the settings of each offered extension, by its id.
   * Returns `undefined` if no extension is offered.
   */
  settings(revision: Revision): Readonly<Record<string, ExtensionSettings>> | undefined {
    const offered = this.extensions
      .filter(({ inSessions = false }) => !revision.sessions || inSessions)
      .flatMap((extension) => {
        const settings = extension.settings();
        return settings === undefined ? [] : [[extension.id, settings] as const];
      });
    return offered.length === 0 ? undefined : Object.fromEntries(offered);
  }

  /** Calls a tool. The extensions that take part in the call wrap the tool; the first extension is the outermost. */
  callTool(
    exchange: Exchange,
    tool: ToolEntry,
    run: () => MaybePromise<MethodResult>,
  ): MaybePromise<MethodResult> {
    // A call that an extension has taken over continues in that extension when it runs again.
    const parts = this.#partsIn(tool);
    if (parts.length === 0) return run();
    const call = viewOf(exchange, this.#inSessions);
    const serve = async (at: number): Promise<ExtensionResult> => {
      const part = parts[at];
      if (!part) return this.writer.value(await run());
      let next = (): Promise<ExtensionResult> => {
        next = () => observed(Promise.reject(new Error('an extension called next() twice: call it once')));
        return observed(serve(at + 1));
      };
      return part.serve(call, () => next());
    };
    return serve(0).then((result) => ({ ...toMethodResult(result), instead: forModel }), toolFailure);
  }

  /** Whether the extensions allow clients of a revision to see and use a tool. */
  shows(revision: Revision, tool: ToolEntry): boolean {
    return !revision.sessions || !this.#partsIn(tool).some((part) => part.hiddenFromSessions);
  }

  /**
   * Asks the extensions about a new subscription. Returns the members of its filter that extensions have agreed to, and
   * a function that checks later whether the subscription may continue.
   */
  async listen(
    exchange: Exchange,
    wanted: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly filter: object; readonly mayGoOn: (again: EngineCall) => Promise<boolean> }> {
    const call = viewOf(exchange, this.#inSessions);
    const parts = await Promise.all(
      this.extensions.map(async (extension) => {
        const agreed = (await extension.listen?.(call, wanted)) ?? {};
        return { extension, agreed };
      }),
    );
    return {
      filter: parts.reduce<object>((all, { agreed }) => ({ ...all, ...agreed }), {}),
      mayGoOn: async (again) => {
        const view = viewOf({ call: again }, this.#inSessions);
        for (const { extension, agreed } of parts)
          if (((await extension.mayListen?.(view, agreed)) ?? true) !== true) return false;
        return true;
      },
    };
  }

  /** Lets extensions begin their work outside of requests. */
  start(): void {
    for (const extension of this.extensions)
      void recovered(
        () => extension.start?.(),
        (error) => this.logger.error({ err: error, extension: extension.id }, 'an extension could not begin'),
      );
  }

  /** Tells extensions that the process will end soon, so that they leave new work to other processes. */
  closes(): void {
    for (const extension of this.extensions)
      void recovered(
        () => extension.closes?.(),
        (error) =>
          this.logger.error(
            { err: error, extension: extension.id },
            'an extension failed while the app closes',
          ),
      );
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.extensions.map(async (extension) => extension.close?.(graceMs)));
  }

  #partsIn(tool: ToolEntry): readonly ToolCalls[] {
    const known = this.#toolCalls.get(tool);
    if (known) return known;
    const parts = this.extensions.flatMap((extension) => extension.toolCalls?.(tool) ?? NO_PARTS);
    this.#toolCalls.set(tool, parts);
    return parts;
  }
}

/** A call, with the functions that control its handler, if it has one. */
type ViewedExchange = Pick<Exchange, 'call'> & Partial<Pick<Exchange, 'journal' | 'endRun'>>;

/**
 * A request in flight, as extensions read and control it.
 *
 * @param inSessions the ids of the extensions that support clients with sessions.
 */
function viewOf(exchange: ViewedExchange, inSessions: ReadonlySet<string>): ExtensionCall {
  const { call } = exchange;
  const { id, method, params, client, principal, quotaKey, revision } = call;
  return {
    id,
    method,
    params,
    client,
    principal,
    quotaKey,
    get headers() {
      return call.headers;
    },
    get signal() {
      return call.signal;
    },
    get state() {
      return call.state;
    },
    declares: (extension) =>
      (!revision.sessions || inSessions.has(extension)) &&
      client.capabilities.extensions?.[extension] !== undefined,
    sees: (entry) => entry.guardCheck?.(call) ?? true,
    isReplay: call.background !== undefined,
    record: () => recordOf(call),
    journal: () => exchange.journal?.() ?? Promise.reject(noCall()),
    endRun: (result) => exchange.endRun?.(toMethodResult(result)) ?? Promise.reject(noCall()),
  };
}

/** Returns a call in its stored form. */
function recordOf({
  revision,
  params,
  principal,
  requestInfo,
  quotaKey,
  neededScopes,
  trace,
}: EngineCall): RecordedCall {
  const { requestState: _state, inputResponses: _responses, ...rest } = params;
  const { headers, address } = requestInfo;
  return {
    version: revision.version,
    params: rest,
    principal,
    neededScopes,
    // The stored form has no credentials, whatever handlers see.
    headers: headersFor({ headers }),
    address,
    quotaKey: typeof quotaKey === 'string' ? quotaKey : undefined,
    traceparent: trace?.traceparent,
  };
}

function noCall(): Error {
  return new Error('journal() and endRun() can be called only for a tool call');
}

function handlerOf(
  extension: Extension,
  method: ExtensionMethod,
  inSessions: ReadonlySet<string>,
): MethodHandler {
  return (exchange, params) => {
    const call = viewOf(exchange, inSessions);
    if (extension.settings() === undefined) throw new MethodNotFoundError(call.method);
    if (!method.undeclared && !call.declares(extension.id)) throw missingExtension(extension.id);
    const given = after(method.serve(call, params), (result) => toMethodResult(result as ExtensionResult));
    return exchange.limited(given, undefined);
  };
}

/** Converts an error of an extension as if the tool's handler had thrown it. */
function toolFailure(error: unknown): MethodResult {
  if (!isToolError(error)) throw error;
  return { result: toolErrorResult(error) };
}

function toMethodResult(given: ExtensionResult): MethodResult {
  if (!isObject(given)) throw new TypeError('an extension returned a result that is not an object');
  const { resultType, ...members } = given;
  const { ttlMs, cacheScope, ...rest } = members;
  // Each revision writes cache hints in its own way, or not at all. A value without a scope is not such a hint.
  const isHint = typeof ttlMs === 'number' && (cacheScope === 'public' || cacheScope === 'private');
  const meta = members['_meta'] as MethodResult['meta'];
  return {
    result: isHint ? rest : members,
    meta,
    ...(isHint ? { cache: { ttlMs, cacheScope } } : {}),
    ...(typeof resultType === 'string' ? { type: resultType } : {}),
  };
}

/** @throws DefinitionError for an invalid extension, and for an extension or a method that occurs twice. */
function checkExtensions(extensions: readonly Extension[]): void {
  const at = new Diagnostics().at('createApp({ extensions })');
  for (const extension of extensions) {
    if (isExtension(extension)) continue;
    const { id } = isObject(extension) ? extension : {};
    at.add(
      'SIGIL_INVALID_OPTIONS',
      `create() of ${typeof id === 'string' ? `the extension '${id}'` : 'an extension'} must return an object with "id" and "settings()", and each member of its "methods" must have "serve()"`,
      'return the object itself from create(host), not a promise',
    );
  }
  at.throwIfAny();
  const methods = extensions.flatMap(({ id, methods: own = {} }) =>
    Object.keys(own).map((method) => ({ id, method })),
  );
  const names = [
    ...extensions.map(({ id }) => `the extension '${id}'`),
    ...methods.map(({ method }) => `the method '${method}'`),
    ...extensions.flatMap(({ inspect = {} }) => Object.keys(inspect).map((name) => `inspect '${name}'`)),
  ];
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    at.add('SIGIL_DUPLICATE_NAME', `${name} occurs twice`, 'remove one of them from the list');
  const known: readonly string[] = Object.values(METHODS);
  for (const { id, method } of methods.filter((one) => known.includes(one.method)))
    at.add(
      'SIGIL_DUPLICATE_NAME',
      `the extension '${id}' has the method '${method}', which belongs to the protocol`,
      'use another method name; to take part in tools/call or subscriptions/listen, implement toolCalls() or listen() instead',
    );
  at.throwIfAny();
}

/** Whether `create` returned an extension. */
function isExtension(extension: unknown): boolean {
  const { id, settings, methods = {} } = isObject(extension) ? extension : {};
  const serves = (method: unknown): boolean => isObject(method) && typeof method['serve'] === 'function';
  if (typeof id !== 'string' || typeof settings !== 'function') return false;
  return isObject(methods) && Object.values(methods).every(serves);
}

import { logDetails } from '../context/call.js';
import type { Gauge } from '../protocol/gauge.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { Logger } from '../protocol/logging.js';
import { LateGuardError } from '../invoke/compile-policies.js';
import { compileRates, type CountCall, nameRates, type NamedRate } from '../invoke/compile-limits.js';
import { RateLimitError } from '../errors/errors.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import { METHODS, NAMED_BY, type ServerCapabilities } from '../protocol/protocol.js';
import type { ToolEntry } from '../registry/entry.js';
import type { ListKind, ServerChange } from '../backend/change-bus.js';
import type {
  ConnectOptions,
  Endpoint,
  EndpointBackend,
  EndpointObserver,
  RefusalEvent,
  Sink,
  Connection,
  Track,
} from '../transport/transport.js';
import { LogThrottle } from '../transport/log-throttle.js';
import { Quota } from '../transport/quota.js';
import { addressKey, type Principal } from '../protocol/principal.js';
import { CALLS, CallSlots } from './admission.js';
import { EngineCall, NO_STREAM } from './engine-call.js';
import { ClientRequester } from './asking/client-requester.js';
import { QuestionCodec } from './asking/question-codec.js';
import type { EngineOptions } from './engine-options.js';
import type { Extension, ExtensionHost } from './extension.js';
import { Extensions } from './extensions.js';
import { ConnectionState } from './connection-state.js';
import { Capabilities } from './methods/capabilities.js';
import { completionMethods } from './methods/completion.js';
import { lifecycleMethods } from './methods/lifecycle.js';
import { promptMethods } from './methods/prompts.js';
import { resourceMethods } from './methods/resources.js';
import { subscriptionMethods } from './methods/subscriptions.js';
import { toolMethods } from './methods/tools.js';
import { EngineConnection, type ConnectionParts } from './connection.js';
import type { Observers } from './observers.js';
import type { MethodHandler } from './exchange.js';
import { replay, reportAbort } from './replay.js';
import { ResponseWriter } from './response.js';
import { LATEST_SESSION_REVISION, NEWEST_REVISION } from './revisions/index.js';
import { LISTS } from './subscriptions/changes.js';
import { Rechecks } from './subscriptions/rechecks.js';
import { Events, Listeners, Subscribers } from './subscriptions/subscriptions.js';
import { TimeLimits } from './time-limit.js';

/** Every method that this server can serve. A client's revision decides which of them the client may call. */
const METHOD_GROUPS = [
  lifecycleMethods,
  toolMethods,
  resourceMethods,
  promptMethods,
  completionMethods,
  subscriptionMethods,
];

/**
 * Wraps a method, so that rates count each request before it is served, including requests for unknown names.
 */
function counted(handler: MethodHandler, countCall: CountCall): MethodHandler {
  return (exchange, params) =>
    after(countCall(exchange.call), (refusal) => {
      if (refusal) throw refusal;
      return handler(exchange, params);
    });
}

/** The kind of message for reporting to another process that a user has completed a page. */
const ELICITATION_COMPLETE = 'elicitationComplete';

/** How long requests may take to finish if no runtime has waited for them: runtimes have their own limit. */
const GRACE_MS = 1_500;

/**
 * The protocol engine. A message takes this path:
 *
 * 1. A transport opens a connection with `connect`, and passes each message to `EngineConnection.receive`
 * (`connection.ts`). Invalid messages are refused there. `methods/notifications.ts` handles notifications, and
 * `asking/` handles answers to the server's questions.
 * 2. A request is admitted (`admission.ts`): its own `_meta`, or the session of its connection (`connection-state.ts`),
 * determines its revision. All differences between revisions are in `revisions/`.
 * 3. The request is counted as in flight, up to the maximum number of concurrent requests, and gets an `Exchange`
 * (`exchange.ts`). The exchange creates an `EngineCall` (`engine-call.ts`), which contains all data that guards,
 * middleware and handler get about the request.
 * 4. The `MethodHandler` of the requested method (in `methods/`, or from an extension) finds the tool, resource or
 *    prompt, and checks the guards. It then runs the handler, and returns a `MethodResult`.
 * 5. The exchange serialises the result (`response.ts`) and passes the text to the sink of the request, once.
 *
 * Notifications of changes take another path: `subscriptions/` sends them to the subscribers in this process, and
 * publishes changes to other processes.
 */
export class Engine implements Endpoint {
  readonly events: Events;
  readonly info: Implementation;
  readonly logger: Logger;
  readonly backend: EndpointBackend;
  readonly observers: Observers;
  readonly admitAddress: Endpoint['admitAddress'];
  readonly #parts: ConnectionParts;
  readonly #connections = new Set<EngineConnection>();
  /** Disposals in progress: closing the app waits for them. */
  readonly #releases = new Set<Promise<void>>();
  readonly #told = new LogThrottle();
  readonly #stop: () => void;
  #isStarted = false;
  #isClosing = false;
  /** The deadline of requests in flight, by `performance.now()`; 0 if there is none. */
  #drainsUntil = 0;

  constructor(private readonly options: EngineOptions) {
    const { registry, changes, limits, logger } = options;
    this.info = options.info;
    this.logger = logger;
    this.backend = options.backend;
    this.events = new Events(logger);
    const subscribers = new Subscribers(this.events, limits);
    const listeners = new Listeners(subscribers, limits);
    const requester = new ClientRequester(new QuestionCodec(options.formPlan));
    const writer = new ResponseWriter(
      options.stampServerInfo ? options.info : undefined,
      limits.maxResultBytes,
    );
    const extensions = new Extensions(
      options.extensions.map((create) => {
        const extension: Extension = create(this.#host(listeners, () => `extension ${extension.id}`));
        return extension;
      }),
      writer,
      logger,
    );
    const methodParts = {
      options,
      capabilities: new Capabilities(registry, extensions, options.experimental),
      extensions,
      subscribers,
      listeners,
      rechecks: new Rechecks({ options, requester, release: this.#release }, subscribers, listeners),
      sessionBytes: new Quota(limits.maxSessionBytes, Math.ceil(limits.maxSessionBytes / 16)),
    };
    const rates = nameRates('', limits.rates);
    const isOfAddress = ({ per }: NamedRate): boolean => per === 'address';
    this.admitAddress = this.#admission(rates.filter(isOfAddress));
    const countCall = compileRates(
      rates.filter((rate) => !isOfAddress(rate)),
      options.counter,
    );
    const groups = METHOD_GROUPS.flatMap((group) => Object.entries(group(methodParts))).map(
      ([method, handler]) =>
        [method, countCall && CALLS.has(method) ? counted(handler, countCall) : handler] as const,
    );
    const methods = new Map([...extensions.methods, ...groups]);
    this.observers = options.observers;
    this.observers.add(this.events.callObserver);
    this.observers.serves({
      hasMethod: (method) => methods.has(method),
      namedBy: new Map([
        ...NAMED_BY,
        [METHODS.subscribe, 'uri'],
        [METHODS.unsubscribe, 'uri'],
        ...extensions.namedBy,
      ]),
      hasName: (method, name) =>
        (method === METHODS.callTool && registry.tools.get(name) !== undefined) ||
        (method === METHODS.getPrompt && registry.prompts.get(name) !== undefined),
    });
    const slots = new CallSlots(limits);
    this.observers.addGauge({
      name: 'sigil.calls.active',
      description: 'How many requests are served now.',
      unit: '{call}',
      read: () => [{ value: slots.taken }],
    });
    this.observers.addGauge({
      name: 'sigil.subscriptions.active',
      description: 'How many streams of subscriptions/listen are open.',
      unit: '{subscription}',
      read: () => [{ value: listeners.all.length }],
    });
    this.#parts = {
      ...methodParts,
      methods,
      observers: this.observers,
      namedBy: new Map([...NAMED_BY, ...extensions.namedBy]),
      events: this.events,
      requester,
      writer,
      stateless: new ConnectionState(),
      timeLimits: new TimeLimits(),
      slots,
      warned: new Set(),
      overloaded: this.#overloaded,
      release: this.#release,
      closed: (connection) => this.#connections.delete(connection),
      drains: (graceMs) => this.drains(graceMs),
    };
    this.#stop = registry.onChange((list) => void changes.publish({ kind: 'list', list }));
    changes.onChange((change) => this.#announce(change));
  }

  logTo(logger: Logger): void {
    this.options.logTo(logger);
  }

  /** The server's capabilities for clients of the newest revision. */
  get capabilities(): ServerCapabilities {
    return this.#parts.capabilities.of(NEWEST_REVISION);
  }

  /**
   * The extensions' functions that report about the app to the people who run the server, for example about tasks. The
   * environment variable `SIGIL_INSPECT` selects a function by its key.
   */
  get inspect(): Extensions['inspect'] {
    return this.#parts.extensions.inspect;
  }

  /** The extensions' readiness checks for `/readyz`, by the name of the checked part. */
  get checks(): Extensions['checks'] {
    return this.#parts.extensions.checks;
  }

  /** Whether an extension hides a tool from clients with sessions (revision 2025-11-25 or earlier). */
  isHiddenFromSessions(tool: ToolEntry): boolean {
    return !this.#parts.extensions.shows(LATEST_SESSION_REVISION, tool);
  }

  /**
   * Creates a request that no client has sent, to run the guards for a principal. The request belongs to no session.
   */
  hypotheticalCall(principal: Principal | undefined): EngineCall {
    const revision = NEWEST_REVISION;
    const client = { capabilities: {}, protocolVersion: revision.version };
    const requestInfo = principal ? { principal } : {};
    const about = {
      id: 'explain',
      method: METHODS.listTools,
      params: {},
      requestInfo,
      transport: 'memory' as const,
    };
    const { stateless } = this.#parts;
    return new EngineCall(this.#parts, { connectionState: stateless, revision, client, ...about }, NO_STREAM);
  }

  get written(): (() => Promise<void>) | undefined {
    return this.options.written;
  }

  get track(): Track | undefined {
    return this.options.tracking.track;
  }

  connect(sink?: Sink, options: ConnectOptions = {}): Connection {
    this.start();
    const connection = new EngineConnection(this.#parts, sink, options);
    // A transport that closes later than the app refuses messages in between.
    if (this.#isClosing) connection.close('The server is closing');
    else this.#connections.add(connection);
    return connection;
  }

  /** Notifies clients, including those of other processes, that `resources/list` has changed. */
  notifyResourceListChanged(): void {
    void this.options.changes.publish({ kind: 'list', list: 'resources' });
  }

  /** Notifies the subscribers of a resource, including those of other processes, that the resource has changed. */
  notifyResourceUpdated(uri: string): void {
    void this.options.changes.publish({ kind: 'resource', uri });
  }

  /**
   * Notifies a client that the user has finished on the page of an elicitation. If another process has sent the user to
   * the page, that process notifies the client instead.
   *
   * @returns whether this process has sent the user to the page, and the client is still connected.
   */
  completeElicitation(elicitationId: string): boolean {
    const isKnown = this.#completeHere(elicitationId);
    const content = { elicitationId };
    if (!isKnown)
      void this.options.changes.publish({ kind: 'message', about: ELICITATION_COMPLETE, content });
    return isKnown;
  }

  refused(event: RefusalEvent): void {
    this.observers.tell((observer) => observer.refused?.(event));
  }

  addGauge(gauge: Gauge): () => void {
    return this.observers.addGauge(gauge);
  }

  observe(observer: EndpointObserver): () => void {
    return this.observers.add(observer);
  }

  closes(): void {
    this.#parts.extensions.closes();
  }

  /**
   * Sets the time limit, in milliseconds, for requests in flight while the server drains. The same limit applies to
   * side effects of tasks.
   */
  drains(graceMs: number): void {
    if (graceMs > 0) this.#drainsUntil = Math.max(this.#drainsUntil, performance.now() + graceMs);
  }

  /**
   * Gives requests in flight a short time to finish, and then cancels those that still run. Afterwards, this method
   * ends every session, and waits until the container has disposed of the sessions' instances.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stop();
    this.#parts.rechecks.close();
    if (this.#drainsUntil === 0) this.drains(GRACE_MS);
    await Promise.all([...this.#connections].map((connection) => connection.drain(GRACE_MS)));
    await this.#parts.extensions.close(Math.max(0, this.#drainsUntil - performance.now()));
    await Promise.all([this.options.changes.close(), ...this.#releases]);
  }

  /**
   * Lets extensions begin their work outside of requests. Called when the app begins to serve clients, or to run tasks
   * without serving clients.
   */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#parts.extensions.start();
  }

  #admission(rates: readonly NamedRate[]): Endpoint['admitAddress'] {
    if (rates.length === 0) return undefined;
    const { counter } = this.options;
    const countFrom = (at: number, address: string): MaybePromise<RateLimitError | undefined> => {
      const rate = rates[at];
      if (!rate) return undefined;
      return after(
        counter.count(rate, addressKey(address), () => ({ address })),
        (counted) => (counted instanceof RateLimitError ? counted : countFrom(at + 1, address)),
      );
    };
    return (address) => countFrom(0, address);
  }

  /** @param purpose returns the purpose of the extension's seals, once the extension is created. */
  #host(listeners: Listeners, purpose: () => string): ExtensionHost {
    const { registry, logger, changes, pageSize, cacheHints, codec } = this.options;
    return {
      registry,
      logger,
      pageSize,
      listCache: cacheHints.of(METHODS.listResources),
      publish: (change) => void changes.publish(change),
      addGauge: (gauge) => void this.options.observers.addGauge(gauge),
      taskChanged: (task) => this.options.observers.taskChanged(task),
      onChange: (listener) => changes.onChange(listener),
      hasListener: (wanted) => listeners.wants(wanted),
      notifyListeners: (method, params, wanted) => listeners.notify(method, params, wanted),
      replay: (call, journal, background) => replay(this.#parts, call, journal, background),
      reportAbort: (call, abort) => reportAbort(this.#parts, call, abort),
      seal: (value, maxLength) => codec.seal(purpose(), value, maxLength),
      unseal: (text) => codec.open(purpose(), text),
    };
  }

  readonly #overloaded: ConnectionParts['overloaded'] = (call, { message, cause }) => {
    // A guard that hangs is a fault of the app, so each such guard is logged, not only one per minute.
    const isLate = cause instanceof LateGuardError;
    if (!this.#told.allows(isLate ? cause.message : message)) return;
    const { logger } = this.options;
    const details = { reason: message, ...(cause === undefined ? {} : { err: cause }), ...logDetails(call) };
    logger[isLate ? 'error' : 'warn'](details, 'requests are refused for now');
  };

  readonly #release: ConnectionParts['release'] = (scope) => {
    const { container, logger } = this.options;
    const failed = (error: unknown): void => logger.error({ err: error }, 'a service failed to close');
    try {
      const released = container.release?.(scope);
      if (!isPromise(released)) return;
      const reported = released.then(undefined, failed);
      this.#releases.add(reported);
      void reported.then(() => this.#releases.delete(reported));
    } catch (error) {
      // The request that has ended must still be answered.
      failed(error);
    }
  };

  #announce(change: ServerChange): void {
    if (change.kind === 'list') this.#announceList(change.list);
    else if (change.kind === 'resource') this.#announceResource(change.uri);
    else if (change.kind === 'message') {
      const { elicitationId } = change.content;
      if (change.about === ELICITATION_COMPLETE && typeof elicitationId === 'string')
        this.#completeHere(elicitationId);
    } else if (change.kind === 'all') {
      // Missed changes are unknown, so clients are notified of all lists.
      for (const list of LISTS) this.#announceList(list);
      for (const uri of this.#parts.subscribers.uris) this.#announceResource(uri);
    }
  }

  #completeHere(elicitationId: string): boolean {
    return [...this.#connections].some((connection) => connection.completeElicitation(elicitationId));
  }

  #announceList(list: ListKind): void {
    this.#parts.listeners.listChanged(list);
    for (const connection of this.#connections) connection.announceList(list);
  }

  #announceResource(uri: string): void {
    this.#parts.listeners.resourceUpdated(uri);
    for (const connection of this.#connections) connection.announceResource(uri);
  }
}

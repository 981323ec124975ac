/// <reference lib="esnext.disposable" preserve="true" />
import type { AppEvents } from '../engine/subscriptions/subscriptions.js';
import type { Observer } from '../engine/observers.js';
import type { Logger } from '../protocol/logging.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { ServiceId } from '../protocol/constructor.js';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { Endpoint, RunningRuntime, Runtime } from '../transport/transport.js';
import { type AppParts, keepParts } from './app-parts.js';
import { buildRecord } from './build-record.js';
import { endWith, isInspected, releaseStdoutOfAll } from './platform.js';
import {
  liveCollection,
  type LiveCollection,
  liveCompletions,
  type LiveCompletions,
} from './live-collection.js';
import {
  checkRunOptions,
  chooseRuntime,
  isRuntime,
  type RunOptions,
  workerRuntime,
} from './runtime-choice.js';
import { unhandledRejections } from './unhandled-rejections.js';

/**
 * A server, ready to be mounted on runtimes. Made by `createApp`.
 *
 * @example
 * ```ts
 * await using app: App = await createApp({ name: 'shop', version: '1.0.0', services: [Inventory] });
 * app.tools.add(defineTool({ name: 'now', handle: () => new Date().toISOString() }));
 * const { closed } = await app.run();
 * await closed;
 * ```
 */
export class App {
  /** Tools, to add and remove while the app is up. */
  readonly tools: LiveCollection<ToolDefinition>;
  /** Resources and resource templates, to add and remove while the app is up. */
  readonly resources: LiveCollection<ResourceDefinition>;
  /** Prompts, to add and remove while the app is up. */
  readonly prompts: LiveCollection<PromptDefinition>;
  /** Sources of completions, to add and remove while the app is up. */
  readonly completions: LiveCompletions;
  readonly #parts: AppParts;
  readonly #running = new Set<RunningRuntime>();
  #closing: Promise<void> | undefined;
  #isMounted = false;
  /** Runtimes that are being started. */
  #starting = 0;

  constructor(parts: AppParts) {
    this.#parts = parts;
    keepParts(this, parts);
    const { registry, define } = parts;
    this.tools = liveCollection('tool', [registry.tools], define);
    this.resources = liveCollection('resource', [registry.resources, registry.templates], define);
    this.prompts = liveCollection('prompt', [registry.prompts], define);
    this.completions = liveCompletions(registry, define);
  }

  /**
   * The server as transports see it: for mounting it into something else than a runtime. From then on standard output belongs to
   * the program again, if `createApp` has reserved it.
   */
  get endpoint(): Endpoint {
    this.#isMounted = true;
    return this.#served();
  }

  /**
   * Gives a singleton, or makes a transient service, as handlers get them.
   *
   * @param id a class, a token, or a name.
   * @throws DefinitionError when nothing says how to make it, or when it belongs to a request or session.
   * @example
   * ```ts
   * const tickets = await app.get(Tickets);
   * ```
   */
  async get<T>(id: ServiceId<T>): Promise<T> {
    return await this.#parts.container.get(id);
  }

  /**
   * Starts serving. An app may run on several runtimes at once.
   *
   * Without a runtime, the program's arguments choose
   * (`--http [--port N] [--host H] [--workers N] [--close-delay-ms N] [--drain-ms N] [--allow-anonymous]`, or
   * `--stdio`), then the variables `MCP_TRANSPORT`, `PORT`, `HOST`, `WORKERS`, `CLOSE_DELAY_MS` and `DRAIN_MS`, then
   * the options; stdio otherwise. Options add the rest, such as authentication, and never override arguments or
   * variables. Over HTTP, `/health` and `/readyz` serve load balancers. The program may have flags of its own, but none
   * within one typing error of these: `--prot` is refused.
   *
   * With `tasks.worker: 'only'` no runtime starts, not even a given one: the app runs tasks and does not listen, until
   * SIGTERM or SIGINT. If the start fails and no other runtime runs or starts at once, the app closes, so that its
   * connections do not keep the program alive. With the environment variable `SIGIL_INSPECT`, the program answers the
   * question on standard output and ends; the command `sigil` of `@sigil/cli` asks this way.
   *
   * @param on the runtime: `stdio()`, `http({ port })`, or your own; or options for the chosen runtime. Options of
   *   another one are ignored.
   * @throws DefinitionError when the package of the chosen runtime is not installed, or an argument, variable or option
   *   is wrong.
   * @throws Error when the app has been closed.
   * @example
   * ```ts
   * await app.run(); // node dist/main.js serves over stdio, node dist/main.js --http over HTTP
   * await app.run({ http: { authenticate }, stdio: { principal: { id: 'owner' } } });
   * await app.run(http({ port: 3000 })); // over HTTP, whatever the arguments say
   * ```
   */
  async run(on?: Runtime | RunOptions): Promise<RunningRuntime> {
    if (this.#closing) throw new Error('This app has been closed; make a new one with createApp()');
    const record = buildRecord();
    if (record) return record.serves(isRuntime(on) ? on.name : 'stdio');
    if (isInspected()) return this.#answer();
    this.#starting += 1;
    try {
      const running = await this.#start(on);
      this.#running.add(running);
      // A runtime that ends by itself, as stdio does with its input, ends the app when it was the last.
      void running.closed.then(() => this.#ended(running));
      return running;
    } catch (error) {
      // After callers that catch the error and try another runtime.
      setTimeout(() => this.#closeUnused());
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  /** The app's logger. Its lines never reach clients: `ctx.log` is for messages to one client. */
  get logger(): Logger {
    return this.#parts.logger;
  }

  /**
   * Listens to an event: `call` after each answered request, `subscribed` and `unsubscribed` for the first and last
   * subscriber of a resource, `rootsChanged` when a client changes its roots.
   *
   * @returns a function that stops the listening.
   * @example
   * ```ts
   * app.on('call', ({ method, name, outcome, ms }) => console.error(method, name, outcome, ms));
   * ```
   */
  on<K extends keyof AppEvents>(event: K, listener: (...details: AppEvents[K]) => void): () => void {
    return this.#parts.engine.events.on(event, listener);
  }

  /**
   * Observes calls from their beginning, and other events of the app, for telemetry.
   *
   * @returns a function that ends the watch.
   */
  observe(observer: Observer): () => void {
    return this.#parts.engine.observers.add(observer);
  }

  /**
   * Notifies the client whose user `ctx.elicitUrl()` sent to a page that the page is complete (2025-11-25). Any process
   * with the same backend may call it.
   *
   * @returns whether this process has asked, and that client is still connected; `false` says nothing of the other
   *   processes.
   */
  completeElicitation(elicitationId: string): boolean {
    return this.#parts.engine.completeElicitation(elicitationId);
  }

  /** Notifies the subscribers of a resource that it has changed, including those of processes with the same `changeBus`. */
  notifyResourceUpdated(uri: string): void {
    this.#parts.engine.notifyResourceUpdated(uri);
  }

  /**
   * Notifies clients that the `list` of a resource template has changed, including those of processes with the same
   * `changeBus`. Added and removed definitions are notified automatically.
   */
  notifyResourceListChanged(): void {
    this.#parts.engine.notifyResourceListChanged();
  }

  /**
   * Stops every runtime, lets requests in flight finish, and disposes of the services, those made last first. Services
   * have five seconds for that, all together; the log names one that takes longer than two.
   *
   * @throws AggregateError with the errors of services, and of those that did not end in time.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Closes the app, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(): Promise<never> {
    const { answerQuestion } = await import('#transport-packages');
    const answer = await answerQuestion(this);
    await this.close();
    return endWith(answer);
  }

  /** The endpoint. From here on, standard output belongs to the program again. */
  #served(): Endpoint {
    this.#parts.releaseStdout();
    return this.#parts.engine;
  }

  async #start(on: Runtime | RunOptions | undefined): Promise<RunningRuntime> {
    const { engine, logger, isWorker } = this.#parts;
    checkRunOptions(on);
    const runtime = isRuntime(on) ? on : undefined;
    const chosen = isWorker ? workerRuntime(engine, runtime) : isRuntime(on) ? on : await chooseRuntime(on);
    logger.relayTo(chosen.logger);
    // Output that others have diverted belongs to this one, unless it has an address.
    if (chosen.name !== 'http') releaseStdoutOfAll();
    const running = await chosen.start(this.#served());
    // Not before: if the server cannot start, the program ends with the error, even if it awaits nothing.
    if (chosen.ownsProcess) unhandledRejections.survive(logger);
    return running;
  }

  async #ended(running: RunningRuntime): Promise<void> {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    const closed = this.close();
    running.appCloses?.(closed);
    await this.#logged(closed);
  }

  #closeUnused(): void {
    if (this.#starting === 0 && this.#running.size === 0 && !this.#isMounted) void this.#logged(this.close());
  }

  async #logged(closed: Promise<void>): Promise<void> {
    try {
      await closed;
    } catch (error) {
      // Nothing awaits this: the runtime ended by itself, or did not start.
      this.#parts.logger.error({ err: error }, 'the app did not close cleanly');
    }
  }

  async #close(): Promise<void> {
    this.#parts.releaseStdout();
    this.#parts.engine.closes();
    await Promise.all([...this.#running].map((running) => running.close()));
    const { engine, container, backend, audit, readiness, watch } = this.#parts;
    readiness.leave();
    await engine.close();
    try {
      await container.close?.();
    } finally {
      // The calls that closing has ended are recorded, too.
      if (audit) await watch.ending()('close() of audit.sink', audit.close());
      const closed = backend?.close();
      if (isPromise(closed)) await watch.ending()('close() of the backend', closed);
      await watch.ending()('close() of observers', engine.observers.close());
    }
  }
}

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
 * A server that is ready to run or to be mounted. Created by `createApp`.
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
  /** The tools of the app. You can add and remove tools while the app runs. */
  readonly tools: LiveCollection<ToolDefinition>;
  /**
   * The resources and resource templates of the app. You can add and remove resources and resource templates while the
   * app runs.
   */
  readonly resources: LiveCollection<ResourceDefinition>;
  /** The prompts of the app. You can add and remove prompts while the app runs. */
  readonly prompts: LiveCollection<PromptDefinition>;
  /** The sources of completions of the app. You can add and remove sources of completions while the app runs. */
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
   * The interface of the server for transports. Use it to mount the app in a host that has no runtime package. If
   * `createApp` has redirected standard output to standard error, reading this property ends the redirection.
   */
  get endpoint(): Endpoint {
    this.#isMounted = true;
    return this.#served();
  }

  /**
   * Returns a service as handlers receive it: the instance of a singleton, or a new instance of a transient service.
   *
   * @param id a class, a token, or a name.
   * @throws DefinitionError if the container cannot create the service, or if the service has the scope `request` or
   *   `session`.
   * @example
   * ```ts
   * const tickets = await app.get(Tickets);
   * ```
   */
  async get<T>(id: ServiceId<T>): Promise<T> {
    return await this.#parts.container.get(id);
  }

  /**
   * Starts serving. An app can run on several runtimes at the same time.
   *
   * If you pass no runtime, the program's arguments choose one: `--stdio`, or `--http`, which can be followed by
   * `--port N`, `--host H`, `--workers N`, `--close-delay-ms N`, `--drain-ms N` and `--allow-anonymous`. Without these
   * arguments, the environment variables `MCP_TRANSPORT`, `PORT`, `HOST`, `WORKERS`, `CLOSE_DELAY_MS` and `DRAIN_MS`
   * are used, and then the options. The default is stdio. Options can add other settings, such as authentication, but
   * they never override arguments or variables. Over HTTP, `/health` and `/readyz` answer load balancers. The program
   * can have other flags. A flag that differs from a listed flag by one typing error, such as `--prot`, is refused.
   *
   * With `tasks.worker: 'only'`, the app serves no clients, even if you pass a runtime: it runs tasks until SIGTERM or
   * SIGINT. If the start fails and no other runtime is running or starting, the app closes, so that its connections do
   * not keep the program alive. If the environment variable `SIGIL_INSPECT` is set, this call prints the requested
   * information on standard output and ends the program. The command `sigil` of `@sigil/cli` sets the variable to
   * inspect a program.
   *
   * @param on the runtime (`stdio()`, `http({ port })`, or your own), or options for the runtime that the arguments and
   *   variables choose. Options for other runtimes are ignored.
   * @throws DefinitionError if the package of the chosen runtime is not installed, or if an argument, variable or
   *   option is wrong.
   * @throws Error if the app has been closed.
   * @example
   * ```ts
   * await app.run(); // node dist/main.js serves over stdio, node dist/main.js --http over HTTP
   * await app.run({ http: { authenticate }, stdio: { principal: { id: 'owner' } } });
   * await app.run(http({ port: 3000 })); // over HTTP, whatever the arguments say
   * ```
   */
  async run(on?: Runtime | RunOptions): Promise<RunningRuntime> {
    if (this.#closing) throw new Error('This app has been closed; create a new one with createApp()');
    const record = buildRecord();
    if (record) return record.serves(isRuntime(on) ? on.name : 'stdio');
    if (isInspected()) return this.#answer();
    this.#starting += 1;
    try {
      const running = await this.#start(on);
      this.#running.add(running);
      // When the last runtime ends by itself, as stdio does with its input, the app ends.
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

  /** The app's logger. Its lines are never sent to clients; use `ctx.log` for log messages to one client. */
  get logger(): Logger {
    return this.#parts.logger;
  }

  /**
   * Adds a listener for an event:
   *
   * - `call`: a request was answered
   * - `subscribed`: a resource has its first subscriber
   * - `unsubscribed`: a resource has lost its last subscriber
   * - `rootsChanged`: a client has changed its roots
   *
   * @returns a function that removes the listener.
   * @example
   * ```ts
   * app.on('call', ({ method, name, outcome, ms }) => console.error(method, name, outcome, ms));
   * ```
   */
  on<K extends keyof AppEvents>(event: K, listener: (...details: AppEvents[K]) => void): () => void {
    return this.#parts.engine.events.on(event, listener);
  }

  /**
   * Adds an observer for telemetry. The observer is called when a call starts and ends, and for other events of the
   * app.
   *
   * @returns a function that removes the observer.
   */
  observe(observer: Observer): () => void {
    return this.#parts.engine.observers.add(observer);
  }

  /**
   * Notifies a client that the user has completed the page from `ctx.elicitUrl()` (revision 2025-11-25). If the client
   * is connected to another process with the same backend, the notification is passed on to that process.
   *
   * @returns whether the client is connected to this process and has been notified. After `false`, it is unknown
   *   whether another process has notified the client.
   */
  completeElicitation(elicitationId: string): boolean {
    return this.#parts.engine.completeElicitation(elicitationId);
  }

  /**
   * Notifies subscribers that a resource has changed, including subscribers that are connected to other processes
   * with the same `changeBus`.
   */
  notifyResourceUpdated(uri: string): void {
    this.#parts.engine.notifyResourceUpdated(uri);
  }

  /**
   * Notifies clients that the function `list` of a resource template returns other resources than before. Reaches
   * clients of all processes with the same `changeBus`. If you add or remove definitions, clients are notified without
   * this call.
   */
  notifyResourceListChanged(): void {
    this.#parts.engine.notifyResourceListChanged();
  }

  /**
   * Stops every runtime, waits for open requests to finish, and disposes of the services, the last created service
   * first. All services together have five seconds for their disposal. Each service that needs longer than two
   * seconds is logged.
   *
   * @throws AggregateError with the errors that services threw, and an error for the services whose disposal did
   *   not end in time.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Closes the app when the scope of an `await using` declaration ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(): Promise<never> {
    const { answerQuestion } = await import('#transport-packages');
    const answer = await answerQuestion(this);
    await this.close();
    return endWith(answer);
  }

  /** Returns the endpoint, and restores standard output for the program. */
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
    // Standard output that other apps have diverted belongs to this runtime, unless it serves over HTTP.
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
      // Calls that closing has ended are recorded, too.
      if (audit) await watch.ending()('close() of audit.sink', audit.close());
      const closed = backend?.close();
      if (isPromise(closed)) await watch.ending()('close() of the backend', closed);
      await watch.ending()('close() of observers', engine.observers.close());
    }
  }
}

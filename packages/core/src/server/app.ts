import type { AppEvents } from '../engine/subscriptions/subscriptions.js';
import type { Logger } from '../protocol/logging.js';
import { isPromise } from '../protocol/maybe-promise.js';
import type { ServiceId } from '../protocol/constructor.js';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { Endpoint, RunningRuntime, Runtime, Track, Tracked } from '../transport/transport.js';
import { isObject } from '../protocol/json.js';
import { OptionChecks } from '../transport/option-checks.js';
import { type AppParts, keepParts } from './app-parts.js';
import { buildRecord } from './build-record.js';
import { type AsyncStorage, callStorage, endWith, isInspected, releaseStdoutOfAll } from './platform.js';
import {
  liveCollection,
  type LiveCollection,
  liveCompletions,
  type LiveCompletions,
} from './live-collection.js';
import { chooseRuntime, workerRuntime } from './runtime-choice.js';

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
   * @param runtime where to: `stdio()`, `http({ port })`, or your own. Without one, the program's arguments decide
   *   (`--http [--port N] [--host H] [--workers N] [--close-delay-ms N] [--allow-anonymous]`), then `MCP_TRANSPORT=http`,
   *   `PORT`, `HOST`, `WORKERS` and `CLOSE_DELAY_MS`; stdio otherwise.
   *   Over HTTP, `/health` and `/readyz` tell load balancers how it does then.
   *   Where `tasks.worker` is `'only'`, no runtime is started, not even one that is given: the app runs tasks and listens to nothing, until
   *   SIGTERM or SIGINT.
   *   The program may have flags of its own, but none that is one typing error away from these: `--prot` is refused.
   * Where it fails, and neither runs anywhere else nor is run at once on another runtime, the app closes: what it holds, such as the
   * connections of a backend, keeps no program that goes on without it.
   * When the environment variable `SIGIL_INSPECT` is set, the program answers its question on standard output and ends
   * instead; `sigil`, the command of `@sigil/cli`, asks that way.
   *
   * @throws DefinitionError when the package of the chosen runtime is not installed, or an argument or variable is wrong.
   * @throws Error when the app has been closed.
   */
  async run(runtime?: Runtime): Promise<RunningRuntime> {
    if (this.#closing) throw new Error('This app has been closed; make a new one with createApp()');
    const record = buildRecord();
    if (record) return record.serves(runtime?.name ?? 'stdio');
    if (isInspected()) return this.#answer();
    this.#starting += 1;
    try {
      const running = await this.#start(runtime);
      this.#running.add(running);
      // A runtime that ends by itself, as stdio does with its input, ends the app when it was the last.
      void running.closed.then(() => this.#ended(running));
      return running;
    } catch (error) {
      // After those who catch the error and try another runtime.
      setTimeout(() => this.#closeUnused());
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  /** Logs where the app logs. Nothing of it reaches clients: `ctx.log` is for what one client may see. */
  get logger(): Logger {
    return this.#parts.logger;
  }

  /**
   * Listens to what happens with clients: `subscribed` and `unsubscribed` when a resource gets its first subscriber and
   * loses its last, `rootsChanged` when a client shares other roots.
   *
   * @returns a function that stops the listening.
   */
  on<K extends keyof AppEvents>(event: K, listener: (...details: AppEvents[K]) => void): () => void {
    return this.#parts.engine.events.on(event, listener);
  }

  /**
   * Tells the client whose user `ctx.elicitUrl()` sent to a page that the page has done its work (2025-11-25). It may be called in any of
   * the processes that share a backend: one that has not asked the client itself has the others tell it.
   *
   * @returns whether this process has asked, and that client is still connected; `false` says nothing of the other processes.
   */
  completeElicitation(elicitationId: string): boolean {
    return this.#parts.engine.completeElicitation(elicitationId);
  }

  /** Tells clients that subscribed to a resource that it has changed, those of processes that share the `changeBus` too. */
  notifyResourceUpdated(uri: string): void {
    this.#parts.engine.notifyResourceUpdated(uri);
  }

  /**
   * Tells clients that what `list` of a resource template gives has changed, those of processes that share the `changeBus` too. Of what is
   * added to the app or removed they are told anyway.
   */
  notifyResourceListChanged(): void {
    this.#parts.engine.notifyResourceListChanged();
  }

  /**
   * Stops every runtime, lets requests in flight finish, and disposes of the services, those made last first. Services have five seconds for
   * that, all together; the log names one that takes longer than two.
   *
   * @throws AggregateError with what services threw, and with those that had not ended in time.
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

  /** The endpoint, from where on standard output belongs to the program again. */
  #served(): Endpoint {
    this.#parts.releaseStdout();
    return this.#parts.engine;
  }

  async #start(runtime: Runtime | undefined): Promise<RunningRuntime> {
    const { engine, logger, isWorker } = this.#parts;
    checkRuntime(runtime);
    const chosen = isWorker ? workerRuntime(engine, runtime) : (runtime ?? (await chooseRuntime()));
    logger.relayTo(chosen.logger);
    if (chosen.ownsProcess) reporter.survive(logger, (run) => engine.trackWith(run));
    // What others keep of standard output, this one needs, unless it has an address.
    if (chosen.name !== 'http') releaseStdoutOfAll();
    return chosen.start(this.#served());
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
    const { engine, container, backend, readiness, watch } = this.#parts;
    readiness.leave();
    await engine.close();
    try {
      await container.close?.();
    } finally {
      const closed = backend?.close();
      if (isPromise(closed)) await watch.ending()('close() of the backend', closed);
    }
  }
}

interface Running {
  readonly about: Tracked;
  readonly logger: Logger;
}

/** One for all apps of the process: rejections come to the process, too. */
class RejectionReporter {
  /** What begins to track the calls of an app; empty once that has begun. */
  readonly #waiting = new Set<{ readonly begin: () => void; readonly logger: Logger }>();
  #storage: AsyncStorage<Running> | undefined;
  #isTracking = false;

  /**
   * Survives promises that a handler, or what authenticates requests, began and that nothing awaits: they are logged with the definition whose
   * handler it was, or with the request. Other
   * unhandled rejections end the process, as the host does by itself, unless the author listens to them. This lasts until the process
   * ends: what a closed app has left behind may still fail.
   *
   * To know whose a rejection is costs every call a tenth of its time before Node 24. There calls are tracked from the first unhandled
   * rejection on, and that one is logged and survived whatever it belongs to.
   *
   * @param track is given what runs handlers from then on.
   */
  survive(logger: Logger, track: (run: Track) => void): void {
    const storage = (this.#storage ??= callStorage<Running>(this.#report));
    if (!storage) return;
    const begin = (): void => track((about, run) => storage.run({ about, logger }, run));
    if (this.#isTracking || storage.isCheap) begin();
    else this.#waiting.add({ begin, logger });
  }

  readonly #report = (reason: unknown, isAlone: boolean): void => {
    const running = this.#storage?.getStore();
    if (running) return running.logger.error({ err: reason, ...running.about.details() }, FORGOTTEN);
    if (this.#waiting.size === 0) {
      if (isAlone) throw reason;
      return;
    }
    this.#isTracking = true;
    for (const { begin, logger } of this.#waiting) {
      logger.error({ err: reason }, `${FORGOTTEN}; the next one will be logged with its definition`);
      begin();
    }
    this.#waiting.clear();
  };
}

const reporter = new RejectionReporter();

const FORGOTTEN =
  'a promise of a handler, a route, or what authenticates was rejected, and nothing awaited it: await it, or give it a catch()';

/** @throws DefinitionError when an app is to run on what is no runtime, such as options of one. */
function checkRuntime(runtime: unknown): void {
  const checks = new OptionChecks('app.run');
  if (runtime !== undefined && !(isObject(runtime) && typeof runtime['start'] === 'function'))
    checks.refuse(
      'runtime',
      'it must be a runtime, as http() and stdio() give',
      'write app.run(http({ port: 3000 })), or app.run() to choose one by argument and variable',
    );
  checks.throwIfAny();
}

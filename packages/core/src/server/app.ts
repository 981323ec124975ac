import type { Engine } from '../engine/engine.js';
import type { AppEvents } from '../engine/subscriptions/subscriptions.js';
import type { Logger } from '../protocol/logging.js';
import type { ServiceId } from '../protocol/constructor.js';
import type { Principal } from '../protocol/principal.js';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { Container } from '../container/contract.js';
import type { DefinitionHooks } from '../registry/definition-hooks.js';
import type { Registry } from '../registry/registry.js';
import type { Endpoint, RunningRuntime, Runtime } from '../transport/contract.js';
import { type Contract, arrangeContract } from './contract.js';
import { contractFacts } from './contract-facts.js';
import { explain, type Explanation } from './explain.js';
import { endWith } from './host.js';
import { answerQuestion, askedQuestion } from './inspect.js';
import {
  type Define,
  liveCollection,
  type LiveCollection,
  liveCompletions,
  type LiveCompletions,
} from './live-collection.js';
import { surviveRejections } from './rejections.js';
import type { RelayLogger } from './relay-logger.js';
import { chooseRuntime } from './runtime-choice.js';

/** What an app is wired from. */
export interface AppParts {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: RelayLogger;
  readonly instructions: string | undefined;
  readonly hooks: readonly DefinitionHooks[];
  readonly define: Define;
  /** Gives standard output back to the program: the app is not served over stdio, or its runtime guards it from here on. */
  readonly releaseStdout: () => void;
}

/** A server, ready to be mounted on runtimes. Made by `createApp`. */
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

  constructor(parts: AppParts) {
    this.#parts = parts;
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
    this.#parts.releaseStdout();
    return this.#parts.engine;
  }

  /**
   * Gives a singleton, or makes a transient service, as handlers get them.
   *
   * @param id a class, a token, or a name.
   * @throws DefinitionError when nothing says how to make it, or when it belongs to a request or session.
   * @example
   * const pool = await app.get(Pool);
   */
  async get<T>(id: ServiceId<T>): Promise<T> {
    return await this.#parts.container.get(id);
  }

  /**
   * Starts serving. An app may run on several runtimes at once.
   *
   * @param runtime where to: `stdio()`, `http({ port })`, or your own. Without one, the program's arguments decide
   *   (`--http [--port N] [--host H] [--allow-anonymous]`), then `MCP_TRANSPORT=http`, `PORT` and `HOST`; stdio otherwise.
   *   The program may have flags of its own, but none that is one typing error away from these: `--prot` is refused.
   * When the environment variable `SIGIL_INSPECT` is set, the program answers its question on standard output and ends
   * instead; `sigil`, the command of `@sigil/cli`, asks that way.
   *
   * @throws DefinitionError when the package of the chosen runtime is not installed, or an argument or variable is wrong.
   * @throws Error when the app has been closed.
   */
  async run(runtime?: Runtime): Promise<RunningRuntime> {
    if (this.#closing) throw new Error('This app has been closed; make a new one with createApp()');
    const question = askedQuestion();
    if (question !== undefined) return this.#answer(question);
    const chosen = runtime ?? (await chooseRuntime());
    this.#parts.logger.relayTo(chosen.logger);
    const { engine, logger } = this.#parts;
    if (chosen.ownsProcess) surviveRejections(logger, (run) => engine.trackCalls(run));
    const running = await chosen.start(this.endpoint);
    this.#running.add(running);
    // A runtime that ends by itself, as stdio does with its input, ends the app when it was the last.
    void running.closed.then(() => this.#ended(running));
    return running;
  }

  /**
   * Everything this server promises to its clients, whoever they are: guards hide nothing here. Two apps that promise the
   * same have the same contract, to the letter; `sigil contract diff` tells what a change of it breaks.
   */
  contract(): Contract {
    this.#parts.releaseStdout();
    return arrangeContract(contractFacts(this.#parts));
  }

  /**
   * Tells why somebody does or does not see a tool, a prompt or a resource. Its guards are asked as if for a list.
   *
   * @param name the name of a tool or prompt, the URI of a resource, or a URI template.
   * @param principal who asks; nobody in particular unless given.
   */
  explain(name: string, principal?: Principal): Promise<Explanation> {
    const { engine, registry, container, releaseStdout } = this.#parts;
    releaseStdout();
    return explain({
      name,
      principal,
      registry,
      container,
      isHidden: (tool) => engine.isHiddenFromSessions(tool),
    });
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
   * Tells the client whose user `ctx.elicitUrl()` sent to a page that the page has done its work (2025-11-25).
   *
   * @returns whether that client is still connected.
   */
  completeElicitation(elicitationId: string): boolean {
    return this.#parts.engine.completeElicitation(elicitationId);
  }

  /** Tells clients that subscribed to a resource that it has changed, those of processes that share the `changeBus` too. */
  notifyResourceUpdated(uri: string): void {
    this.#parts.engine.notifyResourceUpdated(uri);
  }

  /** Stops every runtime, lets requests in flight finish, and disposes of the services, those made last first. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Closes the app, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #answer(question: string): Promise<never> {
    const answer = await answerQuestion(question, this);
    await this.close();
    return endWith(answer);
  }

  async #ended(running: RunningRuntime): Promise<void> {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    const closed = this.close();
    running.appCloses?.(closed);
    try {
      await closed;
    } catch (error) {
      // Nobody awaits this: the runtime ended by itself.
      this.#parts.logger.error({ err: error }, 'the app did not close cleanly');
    }
  }

  async #close(): Promise<void> {
    this.#parts.releaseStdout();
    await Promise.all([...this.#running].map((running) => running.close()));
    await this.#parts.engine.close();
    await this.#parts.container.close?.();
  }
}

import type { FunctionDefinition } from '../decorators/define.js';
import type { Engine } from '../engine/engine.js';
import { DefinitionError } from '../errors/definition-error.js';
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import type { Problem } from '../errors/definition-error.js';
import type { Container } from '../container/contract.js';
import type { Registry } from '../registry/registry.js';
import type { Endpoint, RunningRuntime, Runtime } from '../transport/contract.js';
import { liveCollection, type LiveCollection } from './live-collection.js';
import type { RelayLogger } from './relay-logger.js';
import { chooseRuntime } from './runtime-choice.js';

/** What an app is wired from. */
export interface AppParts {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: RelayLogger;
  /** Compiles a definition into the registry; adds to `problems` what is wrong with it. */
  readonly define: (definition: FunctionDefinition, problems: Problem[]) => void;
}

/** A server, ready to be mounted on runtimes. Made by `createApp`. */
export class App {
  /** Tools, to add and remove while the app is up. */
  readonly tools: LiveCollection<ToolDefinition>;
  /** Resources and resource templates, to add and remove while the app is up. */
  readonly resources: LiveCollection<ResourceDefinition>;
  /** Prompts, to add and remove while the app is up. */
  readonly prompts: LiveCollection<PromptDefinition>;
  readonly #parts: AppParts;
  readonly #running = new Set<RunningRuntime>();
  #closing: Promise<void> | undefined;

  constructor(parts: AppParts) {
    this.#parts = parts;
    const { registry } = parts;
    this.tools = liveCollection([registry.tools], (definition) => this.#define(definition));
    this.resources = liveCollection([registry.resources, registry.templates], (definition) =>
      this.#define(definition),
    );
    this.prompts = liveCollection([registry.prompts], (definition) => this.#define(definition));
  }

  /** The server as transports see it: for mounting it into something else than a runtime. */
  get endpoint(): Endpoint {
    return this.#parts.engine;
  }

  /**
   * Starts serving. An app may run on several runtimes at once.
   *
   * @param runtime where to: `stdio()`, `http({ port })`, or your own. Without one, the program's arguments decide
   *   (`--http [--port N] [--host H]`), then `MCP_TRANSPORT=http`, `PORT` and `HOST`; stdio otherwise.
   * @throws DefinitionError when the package of the chosen runtime is not installed.
   */
  async run(runtime?: Runtime): Promise<RunningRuntime> {
    const chosen = runtime ?? (await chooseRuntime());
    this.#parts.logger.relayTo(chosen.logger);
    const running = await chosen.start(this.endpoint);
    this.#running.add(running);
    // A runtime that ends by itself, as stdio does with its input, ends the app when it was the last.
    void running.closed.then(() => {
      this.#running.delete(running);
      if (this.#running.size === 0) return this.close();
      return undefined;
    });
    return running;
  }

  /** Tells clients that subscribed to a resource that it has changed. */
  notifyResourceUpdated(uri: string): void {
    this.#parts.engine.notifyResourceUpdated(uri);
  }

  /** Stops every runtime, lets requests in flight finish, and disposes of the services, those made last first. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.close()));
    this.#parts.engine.close();
    await this.#parts.container.close?.();
  }

  #define(definition: FunctionDefinition): void {
    const problems: Problem[] = [];
    this.#parts.define(definition, problems);
    if (problems.length > 0) throw new DefinitionError(problems);
  }
}

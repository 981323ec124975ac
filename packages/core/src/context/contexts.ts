import type { Call } from './call.js';
import { RequestContext } from './request-context.js';

/** The context of a tool. */
export class ToolContext extends RequestContext {
  /** The name the tool was called by. */
  readonly tool: string;
  readonly #call: Call;

  constructor(call: Call) {
    super(call);
    this.#call = call;
    this.tool = String(call.params['name']);
  }

  /**
   * Goes on as a task, in a tool with `task: { start: 'handler' }`: the client gets its handle now, and everything after this runs
   * in the background. Questions asked before it belong to the call, those after it to the task.
   *
   * @param statusMessage what the task is doing, for the user.
   * @returns whether the call runs as a task from here on; `false` when the client knows no tasks, or the tool is none.
   * @throws ProtocolError (-32603) when the server has no room for another task.
   */
  startTask(statusMessage?: string): Promise<boolean> {
    return this.#call.startTask(statusMessage);
  }
}

/** The context of a resource. */
export class ResourceContext extends RequestContext {
  /** The URI that is being read. */
  readonly uri: string;

  constructor(call: Call) {
    super(call);
    this.uri = String(call.params['uri']);
  }
}

/** The context of a prompt. */
export class PromptContext extends RequestContext {
  /** The name the prompt was got by. */
  readonly prompt: string;

  constructor(call: Call) {
    super(call);
    this.prompt = String(call.params['name']);
  }
}

/** The context of a completion. */
export class CompletionContext extends RequestContext {
  /** The arguments the user has already settled. */
  readonly arguments: Readonly<Record<string, string>>;

  constructor(call: Call) {
    super(call);
    const context = call.params['context'] as { arguments?: Record<string, string> } | undefined;
    this.arguments = context?.arguments ?? {};
  }
}

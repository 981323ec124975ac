import type { Client as ClientV2 } from '@modelcontextprotocol/client';
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';

type Arguments = Record<string, unknown>;

/** What the tests look at in the result of a tool. */
export interface ToolAnswer {
  readonly text: string | undefined;
  readonly isError: boolean;
  readonly structuredContent: unknown;
}

/** What both official clients can do, under the same names. */
interface Common {
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(params: { cursor?: string }): Promise<{
    resources: { uri: string; name: string }[];
    nextCursor?: string | undefined;
  }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  getPrompt(params: {
    name: string;
    arguments: Arguments;
  }): Promise<{ messages: { content: { text?: string } }[] }>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
  /** Called with the id of each event, by which a stream that breaks is resumed. */
  readonly onresumptiontoken?: (token: string) => void;
}

/** The calls of an official client, whichever it is. */
export class Calls {
  readonly #common: Common;

  constructor(private readonly client: ClientV1 | ClientV2) {
    this.#common = client as unknown as Common;
  }

  /** The names of all there is, sorted. */
  async names(): Promise<Record<string, string[]>> {
    const lists = [
      await this.#common.listTools(),
      { resources: await this.resources() },
      await this.#common.listResourceTemplates(),
      await this.#common.listPrompts(),
    ] as unknown as Record<string, { name: string }[]>[];
    const named: Record<string, string[]> = {};
    for (const list of lists) {
      for (const key of ['tools', 'resources', 'resourceTemplates', 'prompts']) {
        if (Array.isArray(list[key])) named[key] = list[key].map(({ name }) => name).sort();
      }
    }
    return named;
  }

  /** The resources of all pages. Older official clients ask for each page by itself. */
  async resources(): Promise<{ uri: string; name: string }[]> {
    const found: { uri: string; name: string }[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#common.listResources(cursor === undefined ? {} : { cursor });
      found.push(...page.resources);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return found;
  }

  async tool(name: string, args: Arguments = {}, options: CallOptions = {}): Promise<ToolAnswer> {
    const { client } = this;
    const params = { name, arguments: args };
    const result = (await ('getNegotiatedProtocolVersion' in client
      ? client.callTool(params, options)
      : (client as ClientV1).callTool(params, undefined, options))) as Record<string, unknown>;
    const content = result['content'] as { text?: string }[] | undefined;
    return {
      text: content?.[0]?.text,
      isError: result['isError'] === true,
      structuredContent: result['structuredContent'],
    };
  }

  async text(name: string, args: Arguments = {}): Promise<string | undefined> {
    return (await this.tool(name, args)).text;
  }

  async withProgress(name: string): Promise<{ text: string | undefined; progress: number[] }> {
    const progress: number[] = [];
    const { text } = await this.tool(name, {}, { onprogress: (step) => progress.push(step.progress) });
    return { text, progress };
  }

  /** Starts a call and cancels it soon after. */
  async cancelled(name: string): Promise<ToolAnswer> {
    const gone = new AbortController();
    const pending = this.tool(name, {}, { signal: gone.signal });
    setTimeout(() => gone.abort(new Error('changed my mind')), 50);
    return pending;
  }

  async read(uri: string): Promise<string | undefined> {
    return (await this.#common.readResource({ uri })).contents[0]?.text;
  }

  async prompt(name: string, args: Arguments): Promise<string | undefined> {
    return (await this.#common.getPrompt({ name, arguments: args })).messages[0]?.content.text;
  }
}

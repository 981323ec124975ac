import {
  type App,
  type AppOptions,
  createApp,
  DefinitionError,
  type Logger,
  type DefinitionProblem,
} from '../src/index.js';
import type { RequestInfo } from '../src/protocol/principal.js';
import { answerQuestion } from '../src/server/inspect.js';
import { connectInMemory, META } from '../src/transport/index.js';

/** A JSON object as it came over the wire. */
export type Json = Record<string, unknown>;

/** What a server sends: a response, a notification or a request. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: WireError;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

type Found = Message | readonly Message[];

/** Gives the result of a request of the server, or throws to answer with an error. */
export type Answerer = (request: Message) => unknown;

export interface ClientOptions {
  readonly requestInfo?: RequestInfo;
  readonly answer?: Answerer;
}

/** A client that keeps everything it hears, in order. */
export class Client {
  readonly received: Found[] = [];
  readonly #connection: ReturnType<typeof connectInMemory>;
  readonly #watchers = new Set<() => void>();
  #next = 1;
  /** `_meta` to send with every request, as clients of 2026-07-28 do. */
  envelope: Json | undefined;

  constructor(app: App, { requestInfo, answer }: ClientOptions = {}) {
    this.#connection = connectInMemory(
      app.endpoint,
      (message) => {
        this.received.push(message as Found);
        for (const watcher of [...this.#watchers]) watcher();
        if (answer) this.#answer(answer, message as Message);
      },
      requestInfo,
    );
  }

  /** Sends a message as it is. */
  send(message: unknown): void {
    this.#connection.send(message);
  }

  notify(method: string, params?: Json): void {
    this.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  /** Sends a request and gives its id. */
  start(method: string, params: Json = {}, id: string | number = this.#next++): string | number {
    this.send({ jsonrpc: '2.0', id, method, params: this.#stamped(params) });
    return id;
  }

  /** Sends a request and waits for its response. */
  async request(method: string, params: Json = {}, id?: string | number): Promise<Message> {
    return this.response(this.start(method, params, id));
  }

  /** Sends a request and waits for its result. */
  async result(method: string, params: Json = {}): Promise<Json> {
    const { result, error } = await this.request(method, params);
    if (!result) throw new Error(`expected a result of ${method}, got ${JSON.stringify(error)}`);
    return result;
  }

  /** Sends a request and waits for its error. */
  async error(method: string, params: Json = {}): Promise<WireError> {
    const { result, error } = await this.request(method, params);
    if (!error) throw new Error(`expected an error of ${method}, got ${JSON.stringify(result)}`);
    return error;
  }

  call(name: string, args: Json = {}, meta?: Json): Promise<Json> {
    return this.result('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  }

  /** The entries of a list on all pages. */
  async list(kind: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'): Promise<Json[]> {
    const method = kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`;
    const entries: Json[] = [];
    let cursor: unknown;
    do {
      const page = await this.result(method, cursor === undefined ? {} : { cursor });
      entries.push(...(page[kind] as Json[]));
      cursor = page['nextCursor'];
    } while (cursor !== undefined);
    return entries;
  }

  /** Waits for the response to a request. */
  async response(id: string | number | null): Promise<Message> {
    return this.waitFor((message) => message.id === id && message.method === undefined);
  }

  /** Waits for a message, also among those that have come. */
  async waitFor(matches: (message: Message) => boolean): Promise<Message> {
    const find = (): Message | undefined => this.messages.find(matches);
    const found = find();
    if (found) return found;
    return new Promise((resolve, reject) => {
      const watcher = (): void => {
        const late = find();
        if (late) end(() => resolve(late));
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`no such message came; only ${JSON.stringify(this.received)}`))),
        10_000,
      );
      const end = (then: () => void): void => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        then();
      };
      this.#watchers.add(watcher);
    });
  }

  /** Everything heard that is not a batch. */
  get messages(): Message[] {
    return this.received.filter((message): message is Message => !Array.isArray(message));
  }

  /** The parameters of the notifications of one method. */
  heard(method: string): (Json | undefined)[] {
    return this.messages.filter((message) => message.method === method).map(({ params }) => params);
  }

  close(graceMs?: number): Promise<void> {
    return this.#connection.close(graceMs);
  }

  #stamped(params: Json): Json {
    if (!this.envelope) return params;
    return { ...params, _meta: { ...this.envelope, ...(params['_meta'] as Json | undefined) } };
  }

  #answer(answer: Answerer, request: Message): void {
    if (request.method === undefined || request.id === undefined) return;
    const { id } = request;
    const refuse = (error: unknown): void =>
      this.send({ jsonrpc: '2.0', id, error: { code: -1, message: (error as Error).message } });
    const reply = (result: unknown): void => {
      if (result !== undefined) this.send({ jsonrpc: '2.0', id, result });
    };
    try {
      const result = answer(request);
      if (result instanceof Promise) result.then(reply, refuse);
      else reply(result);
    } catch (error) {
      refuse(error);
    }
  }
}

const ignore = (): void => undefined;

/** A logger that keeps quiet. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Makes an app of services, or of whole options; quiet unless they have a logger. */
export function appOf(options: Partial<AppOptions>): Promise<App> {
  return createApp({ name: 'test', version: '1.0.0', logger: silentLogger, ...options });
}

/** A client that has opened a session. */
export async function openSession(
  app: App,
  version = '2025-11-25',
  capabilities: Json = {},
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client(app, options);
  const clientInfo = { name: 'tester', version: '0' };
  await client.result('initialize', { protocolVersion: version, capabilities, clientInfo });
  client.notify('notifications/initialized');
  return client;
}

/** A client of 2026-07-28, whose every request carries its envelope. */
export function statelessClient(app: App, capabilities: Json = {}, options: ClientOptions = {}): Client {
  const client = new Client(app, options);
  client.envelope = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: { name: 'tester', version: '0' },
  };
  return client;
}

/** A client of any revision. */
export function clientOf(app: App, version: string, options?: ClientOptions): Promise<Client> {
  if (version === '2026-07-28') return Promise.resolve(statelessClient(app, {}, options));
  return openSession(app, version, {}, options);
}

/** The problems that keep an app from starting. */
export async function problemsOf(options: Partial<AppOptions>): Promise<readonly DefinitionProblem[]> {
  return (await definitionError(options)).problems;
}

/** The error that keeps an app from starting. */
export async function definitionError(options: Partial<AppOptions>): Promise<DefinitionError> {
  try {
    await appOf(options);
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error('the app started');
}

/** What an app answers to the question that the environment asks. */
export async function inspected(app: App, variables: Record<string, string>): Promise<Json> {
  Object.assign(process.env, variables);
  try {
    return JSON.parse(await answerQuestion(app)) as Json;
  } finally {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  }
}

/** One line of a log. */
export interface LogLine {
  readonly level: string;
  readonly details: Json;
  readonly message: string | undefined;
}

/** A logger that keeps its lines. */
export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write =
    (level: string) =>
    (details: object | string, message?: string): void => {
      const isText = typeof details === 'string';
      lines.push({ level, details: isText ? {} : (details as Json), message: isText ? details : message });
    };
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Lets everything that is due happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`The condition did not hold within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A promise and the way to keep it. */
export function deferred<T = void>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let keep: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (keep = resolve));
  return { promise, resolve: (value) => keep(value) };
}

/** The text of the first block of a tool result. */
export function textOf(result: Json): unknown {
  return (result['content'] as Json[])[0]?.['text'];
}

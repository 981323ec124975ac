import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_DELAY_MS } from '@sigil/core/internal';
import { LATEST_LEGACY_VERSION, LATEST_VERSION, META, METHODS, NOTIFICATIONS } from '@sigil/core/transport';
import { ServerError } from '../failures.js';
import { isObject, type JsonObject, objectOf } from '../json.js';
import { inOneLine } from '../terminal.js';
import type { AskedServer } from './asked-server.js';
import { type AskOptions, askProgram, type ServerAddress } from './program.js';

/**
 * Asks a Sigil program a question that only its app can answer.
 *
 * @param question the environment variables that contain the question.
 * @param read a function that receives each message from the program, and returns the answer if the message contains
 * it.
 * @throws UsageError if there is no such program.
 * @throws ServerError when the program fails, does not answer in time, or is not made with Sigil.
 */
export function askApp<T>(
  server: ServerAddress,
  question: Readonly<Record<string, string>>,
  options: AskOptions,
  read: (message: JsonObject) => T | undefined,
): Promise<T> {
  return askProgram(server, question, options, (program) => {
    const serves = greet(program).then(() => {
      throw new ServerError('the server does not use Sigil, so it does not support this command');
    });
    return Promise.race([program.first(read), serves]);
  });
}

/** Answers a request from a server. @throws RefusedQuestion to refuse the request, with a reason for the server. */
export type Answerer = (method: string, params: JsonObject) => Promise<object> | object;

/** Thrown if the client has no answer to a question from a server. */
export class RefusedQuestion extends ServerError {
  /**
   * @param code the code of the JSON-RPC error that answers the server's question. Without a session, no error is sent.
   */
  constructor(
    message: string,
    readonly code: number = REFUSED,
  ) {
    super(message);
  }
}

/** The error code of a user's refusal (client/sampling, "Error Handling"). */
const REFUSED = -1;
const METHOD_NOT_FOUND = -32601;

/** Options of a client that connects to a server. */
export interface ClientOptions {
  /** The protocol revision to use. @default the newest revision that the server supports */
  readonly revision?: string | undefined;
  /** Whether the server is allowed to continue calls as tasks. @default true */
  readonly tasks?: boolean;
  /** Answers the server's requests. @default sends an empty list of roots, and refuses other requests */
  readonly answer?: Answerer;
  /** Called with each notification. */
  readonly onNotification?: (method: string, params: JsonObject) => void;
}

/** A server that has identified itself. */
export interface Greeted {
  readonly connection: Connection;
  readonly server: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: unknown;
}

/** The name of the MCP extension for calls that continue as tasks. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/**
 * Returns the capabilities that the client declares. Servers hide definitions that need other capabilities.
 */
function capabilitiesOf({ tasks = true }: ClientOptions): JsonObject {
  return {
    roots: {},
    sampling: { tools: {} },
    elicitation: { form: {}, url: {} },
    extensions: {
      'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
      ...(tasks && { [TASKS]: {} }),
    },
  };
}

/**
 * How long to wait for the answer to a request of revision 2026-07-28, in milliseconds. Older servers may not answer
 * it.
 */
const PROBE_MS = 3000;

/**
 * Connects to a server in the requested revision, or else in the newest revision that the server supports
 * (2026-07-28, transports, stdio, "Backward Compatibility").
 */
export async function greet(program: AskedServer, options: ClientOptions = {}): Promise<Greeted> {
  const { revision } = options;
  const clientInfo = { name: 'sigil', version: packageVersion() };
  if (revision !== undefined && revision !== LATEST_VERSION)
    return initialize(program, clientInfo, revision, options);
  const envelope = {
    [META.protocolVersion]: LATEST_VERSION,
    [META.clientInfo]: clientInfo,
    [META.clientCapabilities]: capabilitiesOf(options),
  };
  const connection = new Connection(program, envelope, options);
  const stop = new AbortController();
  const isPatient = revision !== undefined;
  const silence = sleep(isPatient ? MAX_DELAY_MS : PROBE_MS, undefined, {
    signal: stop.signal,
    ref: false,
  }).catch(() => undefined);
  const probe = connection.request(METHODS.discover).catch((error: unknown) => {
    if (error instanceof AnsweredError) return undefined;
    throw error;
  });
  const discovered = await Promise.race([probe, silence]);
  stop.abort();
  if (discovered) return greeted(connection, discovered, objectOf(discovered['_meta'])[META.serverInfo]);
  connection.leave();
  if (revision !== undefined)
    throw new ServerError(
      `the server does not support revision ${revision}: it does not have the method ${METHODS.discover}`,
    );
  return initialize(program, clientInfo, LATEST_LEGACY_VERSION, options);
}

async function initialize(
  program: AskedServer,
  clientInfo: JsonObject,
  protocolVersion: string,
  options: ClientOptions,
): Promise<Greeted> {
  const connection = new Connection(program, undefined, options);
  const params = { protocolVersion, capabilities: capabilitiesOf(options), clientInfo };
  const initialized = await connection.request(METHODS.initialize, params);
  const { protocolVersion: spoken } = initialized;
  if (options.revision !== undefined && spoken !== options.revision)
    throw new ServerError(
      `the server does not support revision ${options.revision}: it offers ${String(spoken)}`,
    );
  connection.notify(NOTIFICATIONS.initialized);
  return greeted(connection, initialized, initialized['serverInfo']);
}

function greeted(
  connection: Connection,
  { capabilities, instructions }: JsonObject,
  server: unknown,
): Greeted {
  return {
    connection,
    server: objectOf(server),
    capabilities: objectOf(capabilities),
    instructions,
  };
}

/** Thrown if a server answers with a JSON-RPC error. */
export class AnsweredError extends ServerError {
  constructor(
    method: string,
    readonly said: string,
    readonly code?: unknown,
  ) {
    super(`the server refused ${method}: ${inOneLine(said)}`);
  }
}

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to ask the server for progress notifications and, without a session, for log messages about the request.
   */
  readonly isWatched?: boolean;
  /** Headers that the request has over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests to a server, and answers the server's requests. */
export class Connection {
  #next = 1;
  readonly #stopListening: () => void;

  /**
   * @param envelope the members of `_meta` for every request: protocol revision, client information and capabilities.
   *   Absent in a session.
   */
  constructor(
    private readonly program: AskedServer,
    private readonly envelope: JsonObject | undefined,
    private readonly options: ClientOptions,
  ) {
    // A server may send requests before it answers with its lists.
    this.#stopListening = program.listen(({ id, method, params }) => {
      if (typeof method !== 'string') return;
      if (id === undefined) options.onNotification?.(method, objectOf(params));
      else void this.#answer(id, method, objectOf(params));
    });
  }

  /** Whether the connection has a session. In a session, the server asks questions with its own requests. */
  get hasSession(): boolean {
    return !this.envelope;
  }

  /**
   * Sends a request and waits for its result.
   *
   * @throws AnsweredError when the server answers with an error; the signal's reason when the signal aborts.
   */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, isWatched = false, headers } = options;
    const id = `sigil-${method}-${this.#next++}`;
    const response = this.program.first((message) =>
      message['id'] === id && !('method' in message) ? message : undefined,
    );
    const logLevel = isWatched && this.envelope ? { [META.logLevel]: 'debug' } : {};
    const _meta = { ...this.envelope, ...logLevel, ...(isWatched && { progressToken: id }) };
    const meta = Object.keys(_meta).length > 0 ? { _meta } : {};
    signal?.throwIfAborted();
    this.program.send({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } }, headers);
    const settled = new AbortController();
    const cancelled = signal ? [this.#cancelled(id, signal, settled.signal)] : [];
    const { result, error } = await Promise.race([response, ...cancelled]);
    settled.abort();
    if (error !== undefined) {
      const { message, code } = objectOf(error);
      throw new AnsweredError(
        method,
        typeof message === 'string' ? message : 'it does not answer with a message',
        code,
      );
    }
    if (!isObject(result)) throw new ServerError(`the server's answer to ${method} is not a result`);
    return result;
  }

  notify(method: string): void {
    this.program.send({ jsonrpc: '2.0', method });
  }

  /** Answers one question. @throws RefusedQuestion if the question has no answer. */
  async answerTo(method: string, params: JsonObject): Promise<object> {
    if (method === 'ping') return {};
    if (this.options.answer) return this.options.answer(method, params);
    if (method === METHODS.listRoots) return { roots: [] };
    throw new RefusedQuestion('the command sigil only reads', METHOD_NOT_FOUND);
  }

  /** Stops answering the server's requests, because another connection answers them. */
  leave(): void {
    this.#stopListening();
  }

  async #answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    try {
      const result = await this.answerTo(method, params);
      this.program.send({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const { code, message } =
        error instanceof RefusedQuestion ? error : { code: REFUSED, message: 'cancelled' };
      this.program.send({ jsonrpc: '2.0', id, error: { code, message } });
    }
  }

  /** Notifies the server that a request is cancelled, then rejects. */
  async #cancelled(requestId: string, signal: AbortSignal, settled: AbortSignal): Promise<never> {
    await once(signal, 'abort', { signal: settled });
    const params = { requestId, reason: 'The user has cancelled it' };
    await this.program.cancel(requestId, { jsonrpc: '2.0', method: NOTIFICATIONS.cancelled, params });
    throw signal.reason;
  }
}

/**
 * Returns the version of this package. `package.json` is found by the package name, even if this code is bundled into
 * another file.
 */
export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('@sigil/cli/package.json') as { readonly version: string };
  return manifest.version;
}

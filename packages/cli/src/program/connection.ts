import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '@sigil/core/internal';
import { LATEST_LEGACY_VERSION, LATEST_VERSION, META, METHODS, NOTIFICATIONS } from '@sigil/core/transport';
import { ServerError } from '../failures.js';
import { type JsonObject, objectOf } from '../json.js';
import type { AskedServer } from './asked-server.js';
import { type AskOptions, askProgram, type ServerAddress } from './program.js';

/**
 * Asks a program that is made with Sigil what only its own app can tell.
 *
 * @param question the variables of its environment that ask.
 * @param read finds the answer among the messages of the program.
 * @throws UsageError when there is no such program.
 * @throws ServerError when it fails, does not answer in time, or is not made with Sigil.
 */
export function askApp<T>(
  server: ServerAddress,
  question: Readonly<Record<string, string>>,
  options: AskOptions,
  read: (message: JsonObject) => T | undefined,
): Promise<T> {
  return askProgram(server, question, options, (program) => {
    const serves = greet(program).then(() => {
      throw new ServerError('the server is not made with Sigil: only its own program could tell');
    });
    return Promise.race([program.first(read), serves]);
  });
}

/** A server that has said who it is. */
export interface Greeted {
  readonly connection: Connection;
  readonly server: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: unknown;
}

/** What a client may be able to: servers hide from others what needs it. */
const CAPABILITIES = {
  roots: {},
  sampling: { tools: {} },
  elicitation: { form: {}, url: {} },
  extensions: {
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
    'io.modelcontextprotocol/tasks': {},
  },
};

/** How long a server may stay silent when it is asked in the way of 2026-07-28, in milliseconds: older ones may not answer. */
const PROBE_MS = 3000;

/** Meets a server in the newest revision it knows (2026-07-28, transports, stdio, "Backward Compatibility"). */
export async function greet(program: AskedServer): Promise<Greeted> {
  const client = { name: 'sigil', version: packageVersion() };
  const envelope = {
    [META.protocolVersion]: LATEST_VERSION,
    [META.clientInfo]: client,
    [META.clientCapabilities]: CAPABILITIES,
  };
  const connection = new Connection(program, envelope);
  const stop = new AbortController();
  const silence = sleep(PROBE_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const probe = connection.request(METHODS.discover).catch((error: unknown) => {
    if (error instanceof AnsweredError) return undefined;
    throw error;
  });
  const discovered = await Promise.race([probe, silence]);
  stop.abort();
  if (!discovered) return initialize(program, client);
  return greeted(connection, discovered, objectOf(discovered['_meta'])[META.serverInfo]);
}

async function initialize(program: AskedServer, clientInfo: JsonObject): Promise<Greeted> {
  const connection = new Connection(program, undefined);
  const params = { protocolVersion: LATEST_LEGACY_VERSION, capabilities: CAPABILITIES, clientInfo };
  const initialized = await connection.request(METHODS.initialize, params);
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

/** A JSON-RPC error that a server answered with. */
export class AnsweredError extends ServerError {
  constructor(
    method: string,
    readonly said: string,
  ) {
    super(`the server refused ${method}: ${said}`);
  }
}

/** Sends requests to a program that serves MCP over stdio, one after the other. */
export class Connection {
  #next = 1;

  /** @param envelope the `_meta` of every request. */
  constructor(
    private readonly program: AskedServer,
    private readonly envelope: JsonObject | undefined,
  ) {
    // A server may ask before it lists.
    void program.first(({ id, method }) => {
      if (id === undefined || method === undefined) return;
      const error = { code: -32601, message: 'the command sigil only looks' };
      const answer = method === 'roots/list' ? { result: { roots: [] } } : { error };
      program.send({ jsonrpc: '2.0', id, ...answer });
    });
  }

  /**
   * Sends a request and waits for its result.
   *
   * @throws AnsweredError when the server answers with an error.
   */
  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = `sigil-${method}-${this.#next++}`;
    const response = this.program.first((message) =>
      message['id'] === id && !('method' in message) ? message : undefined,
    );
    const meta = this.envelope ? { _meta: this.envelope } : {};
    this.program.send({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } });
    const { result, error } = await response;
    if (isObject(error)) throw new AnsweredError(method, String(error['message']));
    return objectOf(result);
  }

  notify(method: string): void {
    this.program.send({ jsonrpc: '2.0', method });
  }
}

/** The version of this package, as its own manifest says: found by its name, wherever this code is bundled to. */
export function packageVersion(): string {
  const manifest = createRequire(import.meta.url)('@sigil/cli/package.json') as { readonly version: string };
  return manifest.version;
}

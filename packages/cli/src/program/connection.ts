import { isObject, type JsonObject } from '../json.js';
import { ServerError } from '../failures.js';
import type { Program } from './program.js';

/** A JSON-RPC error that a server answered with. */
export class AnsweredError extends ServerError {
  constructor(
    method: string,
    readonly code: unknown,
    message: unknown,
  ) {
    super(`the server refused ${method}: ${String(message)}`);
  }
}

/** Sends requests to a program that serves MCP over stdio, one after the other. */
export class Connection {
  #next = 1;

  /** @param envelope the `_meta` of every request. */
  constructor(
    private readonly program: Program,
    private readonly envelope: JsonObject | undefined,
  ) {}

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
    if (isObject(error)) throw new AnsweredError(method, error['code'], error['message']);
    return isObject(result) ? result : {};
  }

  notify(method: string): void {
    this.program.send({ jsonrpc: '2.0', method });
  }
}

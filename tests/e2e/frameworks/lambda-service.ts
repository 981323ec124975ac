import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startProgram, type Program } from './program.js';

const RUNTIME = fileURLToPath(new URL('./hosts/lambda-runtime.mjs', import.meta.url));
const SOON_MS = 2_000;
const CALLS = /^\/2018-06-01\/runtime\/invocation\/(?:(next)|([^/]+)\/(response|error))$/;

/** A request to the function, until it is answered. */
interface Invocation {
  readonly id: string;
  readonly event: object;
  readonly client: ServerResponse;
}

/** How a function is set up. */
export interface LambdaFunction {
  /** The module that exports `handler`. */
  readonly module: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long an invocation may take, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * The part of Lambda around instances of a function: a Function URL, and the Runtime API by which instances get events and answer them. An
 * instance has one event at a time; where none is free, another one is started.
 */
export class LambdaService {
  readonly #instances = new Set<Program>();
  readonly #idle: ServerResponse[] = [];
  readonly #waiting: Invocation[] = [];
  readonly #running = new Map<string, Invocation>();
  readonly #server = createServer((request, response) => {
    // An instance that is ended in the middle of an answer, or a client that is gone.
    this.#serve(request, response).catch(() => response.destroy());
  });
  #next = 1;
  origin = '';

  constructor(private readonly lambda: LambdaFunction) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#instances].map((instance) => instance.kill()));
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = request;
    const [, next, id = '', outcome] = CALLS.exec(url) ?? [];
    if (next !== undefined) {
      this.#idle.push(response);
      return this.#assign();
    }
    if (outcome !== undefined) return this.#answered(id, outcome, request, response);
    this.#waiting.push({ id: `call-${this.#next++}`, event: await eventOf(request), client: response });
    this.#assign();
  }

  /** Gives events that wait to instances that are free. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      // The one that was used last: as Lambda does, which lets the others end.
      const instance = this.#idle.pop();
      if (!instance) return this.#startInstanceSoon();
      const invocation = this.#waiting.shift() as Invocation;
      this.#running.set(invocation.id, invocation);
      instance.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': invocation.id,
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + this.lambda.timeoutMs),
      });
      instance.end(JSON.stringify(invocation.event));
    }
  }

  /** Starts another one where none gets free in a moment: one that has just answered is about to ask for more. */
  #startInstanceSoon(): void {
    if (this.#instances.size === 0) return this.#startInstance();
    setTimeout(() => {
      if (this.#waiting.length > 0 && this.#idle.length === 0) this.#startInstance();
    }, SOON_MS).unref();
  }

  #startInstance(): void {
    const { module, env } = this.lambda;
    const api = { AWS_LAMBDA_RUNTIME_API: this.origin.slice('http://'.length), _HANDLER: module };
    this.#instances.add(startProgram(process.execPath, [RUNTIME], { ...env, ...api }));
  }

  async #answered(id: string, outcome: string, request: IncomingMessage, response: ServerResponse) {
    const client = this.#running.get(id)?.client;
    this.#running.delete(id);
    const done = (): void => void response.writeHead(202).end();
    if (!client || outcome === 'error') {
      console.error((await bytesOf(request)).toString());
      client?.writeHead(502).end('Internal Server Error');
      return done();
    }
    if (request.headers['lambda-runtime-function-response-mode'] === 'streaming')
      await forward(request, client);
    else {
      const { statusCode, headers, body } = JSON.parse((await bytesOf(request)).toString()) as Answer;
      client.writeHead(statusCode, headers).end(body);
    }
    done();
  }
}

/** What an instance posts. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const HEAD_END = Buffer.alloc(8);

/** Sends on what an instance streams: the head as JSON, eight zeros, and the body. */
async function forward(from: IncomingMessage, client: ServerResponse): Promise<void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of from as AsyncIterable<Buffer>) {
    if (!head) {
      client.write(chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) continue;
    const { statusCode, headers } = JSON.parse(head.subarray(0, end).toString()) as Answer;
    client.writeHead(statusCode, headers).flushHeaders();
    const body = head.subarray(end + HEAD_END.length);
    if (body.length > 0) client.write(body);
    head = undefined;
  }
  // What comes without a head is answered as Lambda does, with status 200 and no headers of the function.
  client.end(head);
}

/** The event of a request, in payload format 2.0. */
async function eventOf(request: IncomingMessage): Promise<object> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://function');
  const { cookie, ...headers } = request.headers;
  const body = await bytesOf(request);
  const isText = headers['content-type']?.startsWith('application/json') === true;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(cookie === undefined ? {} : { cookies: cookie.split('; ') }),
    requestContext: { stage: '$default', http: { method: request.method, path: pathname } },
    ...(body.length > 0 ? { body: body.toString(isText ? 'utf8' : 'base64') } : {}),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

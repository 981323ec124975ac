import type { SubmittedTask, TaskExecutor, TaskWorker } from '../../backend/task-executor.js';
import { fromBase64Url, toBase64Url } from '../../protocol/base64.js';
import { isObject } from '../../protocol/json.js';
import { OptionChecks, type OptionTable } from '../../transport/option-checks.js';

/** Options of `push`: how tasks are passed to a queue, which later sends each task back in an HTTP request. */
export interface PushOptions {
  /**
   * The URL that messages are sent to, such as
   * `https://qstash.upstash.io/v2/publish/https://mcp.example.com/tasks/run`. A message is a POST with JSON; any 2xx
   * status means that the queue has accepted it.
   * @default none: messages are passed to `send`
   */
  readonly url?: string;
  /**
   * A function that returns headers to add to the POST request, such as `authorization`.
   * @param delayMs how long the queue should wait before it sends the message back, in milliseconds.
   */
  readonly headers?: (delayMs: number) => Readonly<Record<string, string>>;
  /**
   * A function that passes a message to the queue. Set it instead of `url` for queues with their own client, such as
   * SQS.
   *
   * @param message the text that the queue must send to `handle` as the body of a POST, unchanged.
   * @param delayMs how long the queue should wait before it sends the message back, in milliseconds.
   * @throws Error when the queue has not accepted the message.
   */
  readonly send?: (message: string, delayMs: number) => Promise<unknown>;
  /** The secret that signs messages: a text of 32 characters or more. Use the same secret in all processes. */
  readonly key: string;
  /**
   * How long the queue at `url` may take to accept a message, in milliseconds. It does not limit `send`.
   * @default 10 seconds
   */
  readonly timeoutMs?: number;
  /**
   * How long a message stays valid after its delay has passed, in milliseconds. Messages that arrive later are refused.
   * Set it to at least the time during which the queue repeats a failed request.
   * @default 1 day
   */
  readonly maxAgeMs?: number;
}

/** Runs each task when the queue sends it back in an HTTP request. */
export interface PushExecutor extends TaskExecutor {
  /**
   * Receives a message that the queue sends by POST, and runs its task. Mount this function at its own path.
   *
   * @returns the response, after the run has ended. 200: the queue must not send the message again. 503 with
   *   `Retry-After`: the queue must send the message again, because another run holds the task, or the task cannot run
   *   here now. 400, 401, 405 and 413: the message is invalid, has expired, or is not from this app.
   */
  handle(request: Request): Promise<Response>;
}

/** A message in a queue. */
interface PushMessage extends SubmittedTask {
  /** When the message expires, in milliseconds since 1970. */
  readonly expires: number;
  /** HMAC-SHA256 of the other members, in base64url. */
  readonly signature: string;
}

const MAX_MESSAGE_BYTES = 4096;

/**
 * Creates an executor that passes each task to a queue. The queue later sends the task back in one signed HTTP request.
 * Use this executor on AWS Lambda, Cloudflare Workers and similar platforms, which do not run a process between
 * requests. The task stays in the task store; a message contains the task's id and no data. A repeated or late request
 * of the queue does no harm, because the store records whether the task must still run.
 *
 * @param options the queue, and the key that signs messages.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * const executor = push({
 *   url: 'https://qstash.upstash.io/v2/publish/https://mcp.example.com/tasks/run',
 *   headers: (delayMs) => ({
 *     authorization: `Bearer ${process.env.QSTASH_TOKEN}`,
 *     'upstash-delay': `${Math.ceil(delayMs / 1000)}s`,
 *   }),
 *   key: process.env.PUSH_KEY,
 * });
 * const app = await createApp({ name: 'shop', version: '1.0.0', backend, state, tasks: { executor } });
 * await app.run(http({ routes: { '/tasks/run': executor.handle } }));
 * ```
 */
export function push(options: PushOptions): PushExecutor {
  checkOptions(options);
  const { key, timeoutMs = 10_000, maxAgeMs = 24 * 60 * 60_000 } = options;
  const signing = importKey(key);
  const send = options.send ?? ((message, delayMs) => post(options, message, delayMs, timeoutMs));
  let worker: TaskWorker | undefined;
  return {
    async submit({ taskId, tool }, delayMs) {
      const expires = Date.now() + delayMs + maxAgeMs;
      const signature = await sign(await signing, textOf({ taskId, tool, expires }));
      await send(JSON.stringify({ taskId, tool, expires, signature } satisfies PushMessage), delayMs);
    },
    start: (started) => void (worker = started),
    close: () => void (worker = undefined),
    async handle(request) {
      if (request.method !== 'POST') return answer(405, 'only POST is served', { allow: 'POST' });
      const text = await textWithin(request, MAX_MESSAGE_BYTES);
      if (text === undefined) return answer(413, 'the message is too long');
      const message = readMessage(text);
      if (!message) return answer(400, 'the body is not a message about a task');
      const isOurs = await isSigned(await signing, message);
      if (!isOurs) return answer(401, 'the signature does not match');
      if (message.expires < Date.now()) return answer(401, 'the message has expired');
      if (!worker) return again('closing', 1_000);
      const { leaseMs } = worker;
      try {
        const { outcome, retryAfterMs } = await worker.run(message.taskId);
        return outcome === 'done' ? answer(200, outcome) : again(outcome, retryAfterMs);
      } catch {
        return again('the task store cannot be reached', leaseMs);
      }
    },
  };
}

function answer(status: number, outcome: string, headers: Record<string, string> = {}): Response {
  return Response.json({ outcome }, { status, headers });
}

function again(outcome: string, inMs: number): Response {
  return answer(503, outcome, { 'retry-after': String(Math.ceil(inMs / 1000)) });
}

async function post(
  { url = '', headers }: PushOptions,
  body: string,
  delayMs: number,
  timeoutMs: number,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers?.(delayMs) },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok)
    throw new Error(`The queue has not accepted a task: it responded with status ${response.status}`);
}

/** Reads a body that is not longer than `most` bytes. @returns `undefined` for a longer one. */
async function textWithin(request: Request, most: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let left = most;
  for await (const chunk of request.body ?? []) {
    left -= chunk.byteLength;
    if (left < 0) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the text to sign. It is JSON, so that its parts cannot run together. */
function textOf({ taskId, tool, expires }: Omit<PushMessage, 'signature'>): string {
  return JSON.stringify([taskId, tool, expires]);
}

function readMessage(text: string): PushMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { taskId, tool, expires, signature } = value;
  if (typeof taskId !== 'string' || typeof tool !== 'string') return undefined;
  if (typeof expires !== 'number' || typeof signature !== 'string') return undefined;
  return { taskId, tool, expires, signature };
}

function importKey(key: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytesOf(key), algorithm, false, ['sign', 'verify']);
}

async function sign(key: CryptoKey, text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text))));
}

/** Checks a signature in constant time. */
async function isSigned(key: CryptoKey, message: PushMessage): Promise<boolean> {
  const signature = fromBase64Url(message.signature);
  return signature !== undefined && crypto.subtle.verify('HMAC', key, signature, bytesOf(textOf(message)));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const PUSH_OPTIONS: OptionTable<PushOptions> = {
  url: true,
  headers: true,
  send: true,
  key: true,
  timeoutMs: true,
  maxAgeMs: true,
};

/** Checks the options of `push`. @throws DefinitionError with all problems. */
function checkOptions(options: PushOptions): void {
  OptionChecks.requireObject('push', options);
  const { url, headers, send, key, timeoutMs, maxAgeMs } = options;
  const checks = new OptionChecks('push');
  checks.known(options, PUSH_OPTIONS);
  if ((url === undefined) === (send === undefined))
    checks.refuse('url', 'there must be either url or send', "write url: 'https://queue.example/tasks'");
  else if (url !== undefined && !/^https?:\/\/[^/]/.test(url))
    checks.refuse('url', 'it must be an http or https URL');
  for (const [name, value] of Object.entries({ headers, send }))
    if (value !== undefined && typeof value !== 'function') checks.refuse(name, 'it must be a function');
  if (typeof key !== 'string' || key.length < 32)
    checks.refuse('key', 'it must have 32 characters or more', 'make one with `openssl rand -base64 32`');
  checks.integers({ timeoutMs, maxAgeMs });
  checks.throwIfAny();
}

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { messageOf } from '@sigil/core/internal';
import { parseJson } from '@sigil/core/transport';

/** Thrown to refuse a request. Its message is sent to the browser. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /**
   * @param status the HTTP status.
   * @param message the problem, and the fix.
   * @param details members of the response body besides the message.
   */
  constructor(
    readonly status: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly headers: OutgoingHttpHeaders = {},
  ) {
    super(message);
  }
}

/**
 * Headers of every response. They prevent browsers from guessing another content type, from framing, and from
 * access by other sites.
 */
const SAFE_HEADERS: OutgoingHttpHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The policy for responses that are not documents. They cannot run scripts, even if they are opened directly.
 */
const NO_DOCUMENT =
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

/** Returns the headers of a response: its content type, its content security policy, and `SAFE_HEADERS`. */
export function safeHeaders(type: string, policy: string = NO_DOCUMENT): OutgoingHttpHeaders {
  return { ...SAFE_HEADERS, 'content-type': type, 'content-security-policy': policy };
}

/** Sends a JSON response. */
export function answerJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...safeHeaders('application/json'),
    'content-length': body.byteLength,
    ...headers,
  });
  response.end(body);
}

/** Sends the response for a refused request. If the response has already begun, it is ended instead. */
export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return void response.destroy();
  const { status, message, details, headers } = refusal;
  // A body that was not read is not waited for.
  answerJson(response, { error: message, ...details }, status, { connection: 'close', ...headers });
}

/** Reads a request body. @throws Refusal if it is too large. */
export function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const tooLarge = new Refusal(413, `The body must have at most ${mostBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return Promise.reject(tooLarge);
  const parts: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (part: Buffer) => {
      size += part.byteLength;
      if (size > mostBytes) reject(tooLarge);
      else parts.push(part);
    });
    request.once('end', () => resolve(Buffer.concat(parts))).once('error', reject);
  });
}

/** Reads a JSON request body. @throws Refusal if it is not JSON. */
export async function readJson(request: IncomingMessage, mostBytes: number): Promise<unknown> {
  // Forms of other sites cannot send this type.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The body must have the content type application/json');
  const body = await readBody(request, mostBytes);
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    throw new Refusal(400, `The body cannot be read as JSON: ${messageOf(error)}`);
  }
}

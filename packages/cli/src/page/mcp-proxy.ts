import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { messageOf } from '@sigil/core/internal';
import type { ServerStatus } from '../dev/dev-state.js';
import { readBody, Refusal, safeHeaders } from './answers.js';

import type { OpenExchange, Trace } from './trace.js';

/** Maximum size of a message to the server, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Maximum number of open requests to the server. */
const MOST_OPEN = 64;

/** The request headers that are passed to the server. All others concern the page. */
const PASSED_ON = /^(?:accept|content-type|last-event-id|mcp-[\w-]+)$/;
/** The response headers that are passed to the page. None of them could affect the origin of the page. */
const PASSED_BACK = /^(?:content-type|www-authenticate|retry-after|allow|mcp-[\w-]+)$/;

/** The header with the id of the login to use. */
const LOGIN_HEADER = 'x-sigil-login';

/** Forwards requests of the page to the server under development, and to no other server. */
export class McpProxy {
  readonly #open = new Set<ClientRequest>();

  /**
   * @param serverNow a function that returns the current status of the server.
   * @param accessToken a function that returns the access token of a login, or throws a Refusal if there is no such
   * login.
   */
  constructor(
    private readonly serverNow: () => ServerStatus,
    private readonly accessToken: (login: string) => Promise<string>,
    private readonly trace: Trace,
  ) {}

  /**
   * Passes one request to the server.
   *
   * @throws Refusal if the server is not running, or if 64 requests from the page have no complete response yet.
   */
  async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#open.size >= MOST_OPEN)
      throw new Refusal(
        503,
        `${MOST_OPEN} requests to the server have no response yet, which is the maximum: wait for a response`,
      );
    const body = await readBody(request, MOST_BYTES);
    const login = request.headers[LOGIN_HEADER];
    const token = typeof login === 'string' ? await this.accessToken(login) : undefined;
    const { status, url, reason } = this.serverNow();
    if (status !== 'up' || url === undefined)
      throw new Refusal(
        502,
        `The server is not running (${status})${reason === undefined ? '' : `: ${reason}`}`,
      );
    if (response.destroyed) return;
    const headers = {
      ...picked(request.headers, PASSED_ON),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body.byteLength > 0 && { 'content-length': body.byteLength }),
    };
    const { method = 'GET' } = request;
    const exchange = this.trace.begin(method, headers, body, token);
    const sent = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method,
      headers,
      // A connection that is kept is broken by the next start.
      agent: false,
    });
    this.#open.add(sent);
    sent.once('close', () => this.#open.delete(sent));
    // The page has gone: the server should stop.
    response.once('close', () => sent.destroy());
    sent.once('response', (answer) => this.#answer(answer, response, exchange));
    sent.once('upgrade', (answer, socket) => {
      socket.destroy();
      this.#answer(answer, response, exchange);
    });
    sent.once('error', (error) => {
      if (response.headersSent) return;
      exchange.end(true);
      const why = response.destroyed
        ? 'the page has left'
        : `the server does not answer: ${messageOf(error)}`;
      refuse(response, why);
    });
    sent.end(body);
  }

  /** Closes all open requests. */
  close(): void {
    for (const sent of this.#open) sent.destroy();
  }

  #answer(answer: IncomingMessage, response: ServerResponse, exchange: OpenExchange): void {
    const { statusCode = 502, headers } = answer;
    exchange.answered(statusCode, headers);
    if (statusCode < 200 || statusCode > 599) {
      answer.destroy();
      exchange.end(true);
      refuse(response, `the server answers with status ${statusCode}, which is not a valid HTTP status`);
      return;
    }
    response.writeHead(statusCode, {
      ...safeHeaders(headers['content-type'] ?? 'application/octet-stream'),
      ...picked(headers, PASSED_BACK),
    });
    response.flushHeaders();
    const traced = async function* (parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        exchange.received(part);
        yield part;
      }
    };
    pipeline(answer, traced, response, (error) => exchange.end(Boolean(error)));
  }
}

function refuse(response: ServerResponse, why: string): void {
  if (response.destroyed) return;
  response.writeHead(502, safeHeaders('application/json'));
  response.end(JSON.stringify({ error: why }));
}

function picked(headers: IncomingMessage['headers'], names: RegExp): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      names.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

/*
 * The server of the `sigil dev` page. `request-checks.ts` checks that a request is from the page, and `answers.ts` has
 * the common headers. `event-streams.ts` sends events to the page. `mcp-proxy.ts` forwards its messages to the
 * developed server, and `trace.ts` records them. `logins.ts` logs in, `views.ts` serves views of MCP Apps from their
 * own origin, and `saved-tests.ts` saves a call as a test. The page itself, which browsers run, is in `../../page`.
 */

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isScope, messageOf } from '@sigil/core/internal';
import type { Principal } from '@sigil/core';
import type { DevLoop } from '../dev/dev-loop.js';
import type { DevState, OutputLine, ServerStatus } from '../dev/dev-state.js';
import { ServerError, UsageError } from '../failures.js';
import { isObject, type JsonObject, objectOf } from '../json.js';
import { beginLogin } from '../login/login.js';
import { explanationOfProgram } from '../program/explanation.js';
import { inLines } from '../terminal.js';
import { answerJson, answerRefusal, readJson, Refusal, safeHeaders } from './answers.js';
import { EventStreams } from './event-streams.js';
import { limitedServer, listen, listenFrom } from './listening.js';
import { type BeginLogin, Logins } from './logins.js';
import { McpProxy } from './mcp-proxy.js';
import { saveTest } from './saved-tests.js';
import { RequestChecks } from './request-checks.js';
import { Trace } from './trace.js';
import { Views } from './views.js';

/** The preferred port of the page. */
const FIRST_PORT = 3100;
/**
 * Maximum size of a request body, in bytes: of most requests, and of those that contain a document or a
 * result.
 */
const MOST_BYTES = 64 * 1024;
const MOST_LARGE_BYTES = 16 * 1024 * 1024;
/** Maximum number of programs that are inspected at once, and maximum time for each, in milliseconds. */
const MOST_ASKED = 4;
const ASK_MS = 10_000;
/**
 * Maximum number of events that are kept for pages that are opened later, and maximum number of characters of
 * one event.
 */
const MOST_EVENTS = 200;
const MOST_OF_EVENT = 10_000;
/** Maximum length of a name in a question. */
const MOST_OF_NAME = 1_000;

/** Information for the page about the program under development. */
export interface DevelopedProgram {
  /** The folder of the project. */
  readonly cwd: string;
  /** The absolute path of the file that is started. */
  readonly main: string;
  readonly state: Pick<DevState, 'server' | 'compiler' | 'starts' | 'lines' | 'subscribe'>;
  /**
   * Returns the definitions of the program in its last compiled version.
   *
   * @throws ServerError if the program does not start.
   */
  served(): ReturnType<DevLoop['served']>;
}

/** Options of the page. */
export interface PageOptions {
  /**
   * The port of the page.
   * @default the first free port from 3100
   */
  readonly port?: number | undefined;
  /**
   * Starts a login.
   * @default the login of `sigil login`
   */
  readonly beginLogin?: BeginLogin;
  /**
   * The folder of the page's files.
   * @default the folder in this package
   */
  readonly folder?: URL;
}

/** A running page server. */
export interface Page {
  /** The URL of the page, with its token. */
  readonly url: string;
  close(): void;
}

/**
 * Serves the page for a program under development, on this machine only.
 *
 * @throws UsageError if the port is already in use.
 * @example
 * ```ts
 * const page = await startPage(program, { port: 3100 });
 * terminal.out(page.url);
 * page.close();
 * ```
 */
export async function startPage(program: DevelopedProgram, options: PageOptions): Promise<Page> {
  const server = new PageServer(program, options, await readPageFiles(options.folder));
  return { url: await server.start(options.port), close: () => server.close() };
}

/** A file of the page. */
interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * The files of the page, by their URL path. Nothing else is served, so that a path cannot reach other files.
 */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/** Reads the files of the page. @param folder the folder; by default the one in this package. */
async function readPageFiles(folder: URL = defaultFolder()): Promise<ReadonlyMap<string, PageFile>> {
  const files = Object.entries(FILES).map(
    async ([path, [file, type]]) => [path, { type, content: await readFile(new URL(file, folder)) }] as const,
  );
  return new Map(await Promise.all(files));
}

/** Returns the folder in this package, even if this code is bundled elsewhere. */
function defaultFolder(): URL {
  const manifest = createRequire(import.meta.url).resolve('@sigil/cli/package.json');
  return new URL('dist/browser/', pathToFileURL(manifest));
}

/** Handles a request that has passed all checks. */
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

class PageServer {
  readonly #server: Server = limitedServer((request, response) => void this.#serve(request, response));
  readonly #checks = new RequestChecks();
  readonly #streams = new EventStreams();
  readonly #trace = new Trace((exchange) => this.#streams.tell('exchange', exchange));
  readonly #logins: Logins;
  readonly #proxy: McpProxy;
  readonly #views = new Views(() => [`http://127.0.0.1:${this.#port}`, `http://localhost:${this.#port}`]);
  readonly #unsubscribe: () => void;
  /** The latest calls, refusals, questions and tasks. */
  readonly #events: (readonly [event: string, data: JsonObject])[] = [];
  #port = 0;
  #asked = 0;
  /** The reason why the program does not start, as the program reports it. */
  #problems: string | undefined;

  /** The handlers, by path and method. Only the page may request paths that begin with `/api/`. */
  readonly #routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    '/callback': { GET: (request, response) => this.#finishLogin(request, response) },
    '/api/events': { GET: (_, response) => this.#streams.open(response, this.#everything()) },
    '/api/served': { GET: async (_, response) => answerJson(response, await this.program.served()) },
    '/api/mcp': methods(['GET', 'POST', 'DELETE'], (request, response) =>
      this.#proxy.pass(request, response),
    ),
    '/api/exchanges': { GET: (_, response) => answerJson(response, this.#trace.exchanges) },
    '/api/why': { POST: async (request, response) => answerJson(response, await this.#why(request)) },
    '/api/logins': {
      GET: (_, response) => answerJson(response, this.#logins.list),
      POST: async (request, response) => answerJson(response, await this.#logIn(request), 201),
    },
    '/api/views': {
      POST: async (request, response) =>
        answerJson(response, { url: this.#views.add(await readJson(request, MOST_LARGE_BYTES)) }, 201),
    },
    '/api/tests': {
      POST: async (request, response) => {
        const given = await readJson(request, MOST_LARGE_BYTES);
        const principal = this.#principalOf(objectOf(given)['login']);
        answerJson(response, await this.#ask(() => saveTest(this.program, given, principal)), 201);
      },
    },
  };

  constructor(
    private readonly program: DevelopedProgram,
    options: PageOptions,
    private readonly files: ReadonlyMap<string, PageFile>,
  ) {
    this.#logins = new Logins(options.beginLogin ?? beginLogin, (login) =>
      this.#streams.tell('login', login),
    );
    this.#proxy = new McpProxy(
      () => this.#status(),
      (login) => this.#logins.accessToken(login),
      this.#trace,
    );
    this.#unsubscribe = program.state.subscribe({
      statusChanged: () => this.#streams.tell('state', this.#state()),
      servedChanged: () => void this.#describe(),
      written: (line) => this.#streams.tell('output', [shownLine(line)]),
      told: (event, data) => {
        if (event === 'state') return;
        this.#streams.tell(event, data);
        if (JSON.stringify(data).length > MOST_OF_EVENT) return;
        this.#events.push([event, data]);
        if (this.#events.length > MOST_EVENTS) this.#events.shift();
      },
    });
  }

  /** Starts to listen. @returns the URL with the token. @throws UsageError if the port is already in use. */
  async start(port: number | undefined): Promise<string> {
    await this.#views.start();
    this.#port = await (
      port === undefined ? listenFrom(this.#server, FIRST_PORT) : listen(this.#server, port)
    ).catch((error: unknown) => {
      this.close();
      throw new UsageError(`the page cannot use the port ${port ?? FIRST_PORT}: ${messageOf(error)}`);
    });
    if (this.program.state.starts > 0) void this.#describe();
    return `http://127.0.0.1:${this.#port}/#token=${this.#checks.token}`;
  }

  close(): void {
    this.#unsubscribe();
    this.#streams.close();
    this.#proxy.close();
    this.#views.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#checks.checkSender(request, this.#port);
      const { url = '', method = '' } = request;
      const [path = ''] = url.split('?');
      if (path.startsWith('/api/')) this.#checks.checkPage(request);
      const file = this.files.get(path);
      const handlers = file ? fileHandlers(file, this.#views.origin) : this.#handlersOf(path);
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
      if (!handler)
        throw new Refusal(
          405,
          `${path} takes ${Object.keys(handlers).join(', ')}`,
          {},
          {
            allow: Object.keys(handlers).join(', '),
          },
        );
      await handler(request, response);
    } catch (error) {
      answerRefusal(response, error instanceof Refusal ? error : refusalOf(error));
    }
  }

  /** Returns the handlers for a path. @throws Refusal if there are none. */
  #handlersOf(path: string): Readonly<Record<string, Handler>> {
    const login = /^\/api\/logins\/([\w-]+)$/.exec(path)?.[1];
    if (login !== undefined)
      return {
        DELETE: (_, response) => {
          this.#logins.remove(login);
          answerJson(response, {});
        },
      };
    const handlers = Object.hasOwn(this.#routes, path) ? this.#routes[path] : undefined;
    if (!handlers) throw new Refusal(404, 'There is nothing here');
    return handlers;
  }

  /** Returns the initial state for a page. */
  #everything(): (readonly [string, unknown])[] {
    return [
      ['state', this.#state()],
      ['output', this.program.state.lines.map(shownLine)],
      ...this.#logins.list.map((login) => ['login', login] as const),
      ['served', {}],
      ...this.#events,
    ];
  }

  #state(): object {
    const { compiler, starts } = this.program.state;
    return { server: this.#status(), compiler, starts };
  }

  #status(): ServerStatus {
    const { server } = this.program.state;
    return server.status === 'failed' && this.#problems !== undefined
      ? { ...server, reason: this.#problems }
      : server;
  }

  /** Reads the definitions of the program, or the reason why it does not start. */
  async #describe(): Promise<void> {
    const { starts } = this.program.state;
    const problems = await this.program.served().then(
      () => undefined,
      (error: unknown) => problemsOf(error),
    );
    if (this.program.state.starts !== starts) return;
    this.#problems = problems;
    this.#streams.tell('state', this.#state());
    this.#streams.tell('served', {});
  }

  async #why(request: IncomingMessage): Promise<object> {
    const { name, principal } = objectOf(await readJson(request, MOST_BYTES));
    if (typeof name !== 'string' || name.length > MOST_OF_NAME || name.includes('\0'))
      throw new Refusal(
        400,
        `name must be the name of a tool, prompt or resource, and have at most ${MOST_OF_NAME} characters`,
      );
    const who = principalOf(principal);
    const { main, cwd } = this.program;
    return this.#ask(() => explanationOfProgram(main, name, who, { timeoutMs: ASK_MS, cwd }));
  }

  /** Starts a program to inspect it. @throws Refusal if too many are being inspected. */
  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#asked >= MOST_ASKED)
      throw new Refusal(
        503,
        `${MOST_ASKED} inspections of the program are still running, which is the maximum: wait until one ends`,
      );
    this.#asked += 1;
    return ask().finally(() => (this.#asked -= 1));
  }

  /** Returns the principal of a login. @throws Refusal if there is no such login. */
  #principalOf(login: unknown): Principal | undefined {
    if (login === undefined || login === null) return undefined;
    const found = this.#logins.list.find(({ id, status }) => id === login && status === 'done');
    if (!found) throw new Refusal(404, 'This login does not exist');
    return { id: found.subject ?? 'user', scopes: found.scopes };
  }

  async #logIn(request: IncomingMessage): Promise<object> {
    const given = await readJson(request, MOST_BYTES);
    const { url } = this.program.state.server;
    if (url === undefined)
      throw new Refusal(502, 'The server has no HTTP address, so a login is not possible');
    return this.#logins.add(new URL(url), `http://127.0.0.1:${this.#port}/callback`, given);
  }

  /**
   * Finishes a login. An error message of the authorization server is only passed to the page, which shows it
   * as text.
   */
  async #finishLogin({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isDone = await this.#logins.finish(new URL(url, 'http://localhost').searchParams);
    const text = isDone
      ? 'You are logged in. You can close this window.'
      : 'The login has failed: see the page of sigil dev for the reason. You can close this window.';
    response.writeHead(isDone ? 200 : 400, safeHeaders('text/plain; charset=utf-8'));
    response.end(`${text}\n`);
  }
}

/** Returns an output line without colour codes, which browsers do not show. */
function shownLine(line: OutputLine): OutputLine {
  return { ...line, text: inLines(line.text) };
}

function methods(names: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(names.map((name) => [name, handler]));
}

function fileHandlers({ type, content }: PageFile, viewOrigin: string): Readonly<Record<string, Handler>> {
  const policy = [
    "default-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    `frame-src ${viewOrigin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return methods(['GET', 'HEAD'], (_, response) => {
    response.writeHead(200, { ...safeHeaders(type, policy), 'content-length': content.byteLength });
    response.end(content);
  });
}

/** Reads a principal in a request. @throws Refusal if it is invalid. */
function principalOf(given: unknown): Principal | undefined {
  if (given === null || given === undefined) return undefined;
  const { id, scopes, claims } = objectOf(given);
  const areScopes = Array.isArray(scopes) && scopes.every(isScope);
  const areClaims = isObject(claims);
  if (typeof id !== 'string' || (scopes !== undefined && !areScopes) || (claims !== undefined && !areClaims))
    throw new Refusal(
      400,
      'principal must be null or an object: id is required; scopes (a list) and claims (an object) are optional',
    );
  return { id, ...(areScopes && { scopes }), ...(areClaims && { claims }) };
}

/** Returns the problems of a program that does not start because of its definitions. */
function problemsOf(error: unknown): string {
  if (!(error instanceof ServerError) || error.problems.length === 0) return messageOf(error);
  return error.problems.map(({ problem, fix, code }) => `${problem}\n  Fix: ${fix} [${code}]`).join('\n');
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof ServerError) return new Refusal(502, error.message, { problems: error.problems });
  return new Refusal(error instanceof UsageError ? 409 : 500, messageOf(error));
}

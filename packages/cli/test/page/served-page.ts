import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest } from '@sigil/core/manifest';
import { DevState, type ServerStatus } from '../../src/dev/dev-state.js';
import { type BeginLogin } from '../../src/page/logins.js';
import { type DevelopedProgram, type Page, startPage } from '../../src/page/page-server.js';

/** An answer, whole. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json<T = Record<string, never>>(): T;
}

/** A program under development that a test changes. */
export class FakeProgram implements DevelopedProgram {
  readonly cwd: string = mkdtempSync(join(tmpdir(), 'sigil-page-'));
  main: string = join(this.cwd, 'dist/main.js');
  readonly state = new DevState();
  answer: () => ReturnType<DevelopedProgram['served']> = async () => ({
    manifest: { format: 'sigil-manifest/1', tools: [] } as unknown as Manifest,
    report: {
      findings: [{ code: 'CHECK_NO_DESCRIPTION', where: 'tool add', what: 'it has no description' }],
      tokens: { add: 12 },
      totalTokens: 12,
    },
  });

  served(): ReturnType<DevelopedProgram['served']> {
    return this.answer();
  }

  change(server: ServerStatus, starts?: number): void {
    this.state.change({ server, ...(starts !== undefined && { starts }) });
  }
}

/** A page that is served, of a program whose server is a stand-in. */
export class ServedPage {
  readonly program = new FakeProgram();
  readonly #folder = mkdtempSync(join(tmpdir(), 'sigil-page-files-'));
  #server: Server | undefined;
  #page: Page | undefined;

  static async start(serve: RequestListener, beginLogin: BeginLogin = noLogin): Promise<ServedPage> {
    const served = new ServedPage();
    served.#server = createServer(serve).listen(0, '127.0.0.1');
    await once(served.#server, 'listening');
    const { port } = served.#server.address() as AddressInfo;
    served.program.change({ status: 'up', url: `http://127.0.0.1:${port}/mcp` }, 1);
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(served.#folder, name), text);
    const { folder } = served;
    served.#page = await startPage(served.program, { beginLogin, folder, port: 0 });
    return served;
  }

  /** Where the files of the page are. */
  get folder(): URL {
    return pathToFileURL(`${this.#folder}/`);
  }

  get url(): URL {
    return new URL(this.#page?.url ?? '');
  }

  get token(): string {
    return this.url.hash.replace('#token=', '');
  }

  /** Sends a request as the page does, with other headers where they are given; `undefined` takes one away. */
  async ask(
    target: string,
    { method = 'GET', headers = {}, body, json }: Asked = {},
    authority = this.url.host,
  ): Promise<Answered> {
    const given = {
      host: authority,
      authorization: `Bearer ${this.token}`,
      'sec-fetch-site': 'same-origin',
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const request = send({
      host: '127.0.0.1',
      port: new URL(`http://${authority}`).port,
      path: target,
      method,
      agent: false,
      setHost: false,
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    });
    request.end(json === undefined ? body : JSON.stringify(json));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { statusCode: status = 0, headers: received } = response;
    return { status, headers: received, text, json: <T>() => JSON.parse(text) as T };
  }

  async close(): Promise<void> {
    this.#page?.close();
    this.#server?.close();
    this.#server?.closeAllConnections();
    rmSync(this.#folder, { recursive: true, force: true });
    rmSync(this.program.cwd, { recursive: true, force: true });
  }
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer;
  /** A body of JSON, with its content type. */
  readonly json?: unknown;
}

const FILES = {
  'index.html': '<!doctype html><title>Sigil</title>',
  'page.js': 'export {};',
  'page.css': ':root {}',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

async function noLogin(): Promise<never> {
  throw new Error('no login is expected here');
}

/** A stream of events that is read as it comes. */
export class ReadEvents {
  readonly events: (readonly [event: string, data: Record<string, unknown>])[] = [];
  readonly #ending = new AbortController();

  constructor(page: ServedPage) {
    void this.#read(page).catch(() => undefined);
  }

  of(name: string): Record<string, unknown>[] {
    return this.events.filter(([event]) => event === name).map(([, data]) => data);
  }

  close(): void {
    this.#ending.abort();
  }

  async #read(page: ServedPage): Promise<void> {
    const response = await fetch(new URL('/api/events', page.url), {
      headers: { authorization: `Bearer ${page.token}` },
      signal: this.#ending.signal,
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of response.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event) this.events.push([event, JSON.parse(data) as Record<string, unknown>]);
      }
    }
  }
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, patienceMs = 5_000): Promise<void> {
  const since = performance.now();
  while (!isSo()) {
    if (performance.now() - since > patienceMs) throw new Error(`It is not so after ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

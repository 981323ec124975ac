import { accessSync, constants } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const PROGRAM = fileURLToPath(new URL('fixtures/app-host.mjs', import.meta.url));

/** Why no browser can be started here; undefined where one can. */
export const noChromium = isThere() ? undefined : `no Chromium: there is no ${CHROMIUM}`;

/** What a view is shown for. */
export interface Shown {
  /** How the official client comes to a revision. */
  readonly mode: 'auto' | 'legacy' | { readonly pin: string };
  readonly tool: string;
  readonly args: object;
  readonly theme: 'light' | 'dark';
  /** Another view than that of the tool. */
  readonly html?: string;
}

/** A view that the host shows, and how it came to that. */
export interface ShownView {
  readonly frame: Frame;
  /** The URI of the view, as the tool names it. */
  readonly uri: string;
  /** The result of the tool. */
  readonly result: { readonly structuredContent?: unknown };
  /** The revision that the client speaks. */
  readonly version: string;
  /** What the view says of itself. */
  readonly view: object;
}

/** A call of a tool on the wire. */
interface Call {
  readonly asked: string;
  readonly answer: string;
}

/** A host of MCP Apps made with the official AppBridge, in Chromium. Its client reaches a server through the address of its page. */
export class AppHost {
  /** Errors of the page and its frames, and what they tried to load beside the page itself. */
  readonly faults: string[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly server: Server,
    private readonly page: Page,
    /** Bodies of `tools/call` that the server got, each with its answer. */
    readonly calls: readonly Call[],
  ) {}

  /** Starts one. @param address of the server. */
  static async start(address: string): Promise<AppHost> {
    const { outputFiles } = await build({
      entryPoints: [PROGRAM],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    const calls: Call[] = [];
    const server = hostServer(outputFiles[0]?.text ?? '', address, calls);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    const page = await browser.newPage();
    const host = new AppHost(browser, server, page, calls);
    page.on('pageerror', (error) => host.faults.push(String(error)));
    page.on('console', (message) => {
      // The official client tries whether it may make code of text, and goes on without.
      const isOfHost = message.location().url.endsWith('/host.js');
      if (message.type() === 'error' && !isOfHost) host.faults.push(message.text());
    });
    page.on('request', (asked) => {
      if (!asked.url().startsWith(origin)) host.faults.push(`loads ${asked.url()}`);
    });
    await page.goto(origin);
    return host;
  }

  /** Calls a tool and shows its view, in place of the one before. */
  async show(shown: Shown): Promise<ShownView> {
    const facts = await this.evaluate<Omit<ShownView, 'frame'>>(`show(${JSON.stringify(shown)})`);
    const [frame] = this.page.mainFrame().childFrames();
    if (!frame) throw new Error('no view is shown');
    return { frame, ...facts };
  }

  /** Runs an expression in the page of the host, where `bridge` is the AppBridge and `seen` has what the view asked for. */
  evaluate<T>(expression: string): Promise<T> {
    return this.page.evaluate<T>(expression);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Nothing but the page itself, and what stands in it: what hosts allow views by default. */
const POLICY = "default-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'";

/** Serves the page, and passes `/mcp` on as a server behind the page's own address. */
function hostServer(program: string, address: string, calls: Call[]): Server {
  return createServer((asked, answer) => {
    if (asked.url === '/host.js')
      return void answer.setHeader('content-type', 'text/javascript').end(program);
    if (asked.url !== '/mcp') {
      answer.setHeader('content-type', 'text/html').setHeader('content-security-policy', POLICY);
      return void answer.end(
        '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/host.js"></script>',
      );
    }
    void text(asked).then((body) => {
      const { host: _host, origin: _origin, ...headers } = asked.headers;
      const passed = request(address, { method: asked.method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        if (body.includes('"tools/call"'))
          void text(got).then((said) => calls.push({ asked: body, answer: said }));
        got.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
      passed.end(body);
    });
  });
}

function isThere(): boolean {
  try {
    accessSync(CHROMIUM, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

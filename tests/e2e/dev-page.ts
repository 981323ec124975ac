import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { checkManifest } from '../../packages/cli/src/check/check-manifest.js';
import { DevState } from '../../packages/cli/src/dev/dev-state.js';
import type { BeginLogin } from '../../packages/cli/src/page/logins.js';
import { type DevelopedProgram, startPage } from '../../packages/cli/src/page/page-server.js';
import { manifestOfProgram } from '../../packages/cli/src/program/manifest.js';
import { endProcesses, EVERYTHING, freePort, ServerProcess, until } from './processes.js';

const CHROMIUM = '/usr/bin/chromium';

/** Why no browser can be driven; `undefined` where one can. */
const NO_BROWSER: string | undefined = existsSync(CHROMIUM) ? undefined : `needs ${CHROMIUM}`;

/** Describes what a browser does; skipped by name where there is none. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (NO_BROWSER === undefined) describe(name, tests);
  else describe.skip(`${name} (${NO_BROWSER})`, () => test('is skipped', () => undefined));
}

/** Starts the browser of the system. */
export function startBrowser(): Promise<Browser> {
  // As root, Chromium needs a sandbox that containers do not allow.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** The app with every feature, and the page of `sigil dev` in front of it. */
export class DevPage {
  readonly state = new DevState();
  url = '';
  /** The folder of its project, where tests are written. */
  readonly project: string = mkdtempSync(join(tmpdir(), 'sigil-dev-page-'));
  #close: () => void = () => undefined;

  /** @param env what the app is started with beside. */
  static async start(
    env: Readonly<Record<string, string>> = {},
    beginLogin: BeginLogin = () => Promise.reject(new Error('The server has no logins')),
  ): Promise<DevPage> {
    const served = new DevPage();
    const port = await freePort();
    new ServerProcess(EVERYTHING, ['--http', '--port', String(port)], { PORT: String(port), ...env });
    const url = `http://127.0.0.1:${port}/mcp`;
    const answers = (): Promise<boolean> =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await until(answers, 60_000);
    served.state.change({ server: { status: 'up', url }, starts: 1 });
    const described = manifestOfProgram(EVERYTHING, { timeoutMs: 60_000 }).then((manifest) => ({
      manifest,
      report: checkManifest(manifest, { budget: 500 }),
    }));
    const program: DevelopedProgram = {
      cwd: served.project,
      main: EVERYTHING,
      state: served.state,
      served: () => described,
    };
    const folder = pathToFileURL(`${process.cwd()}/packages/cli/dist/browser/`);
    const page = await startPage(program, { beginLogin, folder, port: 0 });
    served.url = page.url;
    served.#close = () => page.close();
    return served;
  }

  close(): void {
    this.#close();
    rmSync(this.project, { recursive: true, force: true });
  }
}

/**
 * Starts the app, its page and a browser before the tests of a block, and ends them after it.
 *
 * @param begin receives them.
 * @param options how the app is started.
 */
export function withDevPage(
  begin: (dev: DevPage, browser: Browser) => Promise<void> | void,
  ...options: Parameters<typeof DevPage.start>
): void {
  let dev: DevPage | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    [dev, browser] = await Promise.all([DevPage.start(...options), startBrowser()]);
    await begin(dev, browser);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    dev?.close();
    await endProcesses();
  });
}

/** Opens the page in a browser, and waits until it shows what is served. */
export async function openDevPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'place_order' }).waitFor();
  return page;
}

/** Chooses a tool, resource or prompt by its name. */
export async function choose(page: Page, name: string): Promise<void> {
  const list = page.getByRole('navigation');
  await list
    .getByRole('button')
    .filter({ has: page.getByText(name, { exact: true }) })
    .first()
    .click();
}

/** Answers a request of the page in place of the server. @param answer the rest of the JSON-RPC response. */
export function answerInPlace(page: Page, method: string, answer: object): Promise<unknown> {
  return page.route('**/api/mcp', (route) => {
    const asked = route.request().postDataJSON() as { id?: number; method?: string } | null;
    if (asked?.method !== method) return route.fallback();
    return route.fulfill({ json: { jsonrpc: '2.0', id: asked.id, ...answer } });
  });
}

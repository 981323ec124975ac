import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { choose, describeInBrowser, startBrowser } from './dev-page.js';
import { PageProject } from './page-project.js';
import { endProcesses, until } from './processes.js';

const LONG_MS = 60_000;

/** A view that sends what a test gives it, and shows each answer. */
const VIEW = `<h1>Größe: 1 €</h1><output></output><script>
  const output = document.querySelector('output');
  let next = 0;
  const say = (method, params) => parent.postMessage({ jsonrpc: '2.0', id: ++next, method, params }, '*');
  addEventListener('message', ({ data }) => {
    if (data.id === undefined) return;
    const line = document.createElement('p');
    line.textContent = data.id + ' ' + (data.error ? 'error ' + data.error.message : JSON.stringify(data.result));
    output.append(line);
  });
  globalThis.say = say;
  say('ui/initialize', {});
</script>`;

const SERVER = `import { createApp, defineResource, defineTool } from '@sigil/core';
import { resourceContents } from '@sigil/core/content';
const uri = 'ui://stock/view.html';
const input = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] };
const answer = (name: string) => (args: unknown) => name + ' ' + (args as { sku: string }).sku;
const show = defineTool({ name: 'show', meta: { ui: { resourceUri: uri } }, handle: () => 'shown' });
const reserve = defineTool({ name: 'reserve', meta: { ui: { visibility: ['app'] } }, input, handle: answer('reserved') });
const remove = defineTool({ name: 'remove', meta: { ui: { visibility: ['model'] } }, input, handle: answer('removed') });
const look = defineTool({ name: 'look', input, handle: answer('seen') });
const view = defineResource({
  uri, name: 'view', mimeType: 'text/html;profile=mcp-app',
  handle: () => resourceContents.blob(uri, new TextEncoder().encode(${JSON.stringify(VIEW)}), 'text/html;profile=mcp-app'),
});
const app = await createApp({ name: 'dev', version: '1.0.0', definitions: [show, reserve, remove, look, view] });
await app.run();
`;

describeInBrowser('a view on the page of sigil dev', () => {
  let browser: Browser;
  let dev: PageProject;
  let page: Page;
  beforeAll(async () => {
    [dev, browser] = await Promise.all([PageProject.start(SERVER), startBrowser()]);
    page = await browser.newPage();
    page.setDefaultTimeout(LONG_MS);
    await page.goto(dev.url.href);
    await choose(page, 'show');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answered(1);
  }, 2 * LONG_MS);
  afterAll(async () => {
    await browser?.close();
    await dev?.close();
    await endProcesses();
  });

  /** The answer to the request with an id. */
  async function answered(id: number): Promise<string> {
    const line = page.frameLocator('iframe').getByText(new RegExp(`^${id} `));
    return (await line.innerText()).slice(String(id).length + 1);
  }
  let asked = 1;
  /** Runs a script in the view. */
  async function inView(script: string): Promise<void> {
    const frame = page.frames().find((one) => one !== page.mainFrame());
    await frame?.evaluate(`void ${script}`);
  }
  /** Sends a request as the view. @returns its id. */
  async function say(method: string, params: object): Promise<number> {
    await inView(`say(${JSON.stringify(method)}, ${JSON.stringify(params)})`);
    return (asked += 1);
  }
  const call = async (name: string): Promise<string> =>
    answered(await say('tools/call', { name, arguments: { sku: 'TEA-1' } }));

  test('is shown from a blob, whose text is UTF-8', async () => {
    expect(await page.frameLocator('iframe').getByRole('heading').innerText()).toBe('Größe: 1 €');
  });

  test.each([
    ['for views only', 'reserve', 'reserved TEA-1'],
    ['for models and views', 'look', 'seen TEA-1'],
  ])('calls a tool that is %s', async (_, name, text) => {
    expect(JSON.parse(await call(name))).toMatchObject({ content: [{ type: 'text', text }] });
    await page.getByRole('tabpanel', { name: 'Calls' }).getByText(name, { exact: true }).first().waitFor();
  });

  test.each([
    ['for models only', 'remove'],
    ['not there', 'nothing'],
  ])('does not call a tool that is %s', async (_, name) => {
    expect(await call(name)).toBe(`error The view is not allowed to call ${name}`);
  });

  test('opens a link where the developer says so, and in no other case', async () => {
    const url = `${dev.origin}/icon.svg`;
    const refused = await say('ui/open-link', { url });
    const dialog = page.getByRole('dialog', { name: 'The view wants to open a link' });
    await dialog.getByText(url).waitFor();
    const second = await say('ui/open-link', { url: 'https://evil.example/' });
    expect(await answered(second)).toBe(
      'error The developer has not yet decided whether to open the previous link: try again later',
    );
    await dialog.getByText(url).waitFor();
    await page.getByRole('button', { name: 'Do not open' }).click();
    expect(JSON.parse(await answered(refused))).toEqual({ isError: true });
    expect(page.context().pages()).toHaveLength(1);

    const opened = page.context().waitForEvent('page');
    const allowed = await say('ui/open-link', { url });
    await page.getByRole('button', { name: `Open ${new URL(url).host}` }).click();
    const other = await opened;
    expect(other.url()).toBe(url);
    expect(await other.evaluate('opener')).toBeNull();
    expect(JSON.parse(await answered(allowed))).toEqual({});
    await other.close();
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', ''])(
    'refuses to open the link %j',
    async (url) => {
      expect(await answered(await say('ui/open-link', { url }))).toMatch(/^error Only http and https links/);
      expect(await page.getByRole('dialog').count()).toBe(0);
    },
  );

  test('is as high as it says, beside its border', async () => {
    const params = { height: 300 };
    const message = { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params };
    await inView(`parent.postMessage(${JSON.stringify(message)}, '*')`);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    await until(async () => (await frame?.evaluate('innerHeight')) === 300);
  });

  test('shows what it says to the model', async () => {
    const content = [{ type: 'text', text: 'Two are left' }];
    expect(JSON.parse(await answered(await say('ui/message', { role: 'user', content })))).toEqual({});
    await page.getByText('The view: 1 message').click();
    await page.getByRole('main').getByText('Two are left').waitFor();
  });

  test('has its errors, and what its policy refuses, shown on the page', async () => {
    await inView("setTimeout(() => { throw new Error('out of stock'); })");
    await inView("Promise.reject(new Error('no answer'))");
    await inView("fetch('https://example.org/').catch(() => undefined)");
    const alert = page.getByRole('region', { name: 'View' }).getByRole('alert');
    await alert.getByText(/^The view fails: Uncaught Error: out of stock \(line \d+\)$/).waitFor();
    await alert.getByText('The view fails: Unhandled rejection: Error: no answer').waitFor();
    await alert.getByText('The policy connect-src of the view refuses https://example.org/').waitFor();
  });

  test('is told what the host does not know', async () => {
    expect(await answered(await say('ui/unheard-of', {}))).toBe('error The host does not know ui/unheard-of');
  });
});

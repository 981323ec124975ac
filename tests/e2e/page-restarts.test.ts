import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { choose, describeInBrowser, startBrowser } from './dev-page.js';
import { PageProject } from './page-project.js';
import { endProcesses } from './processes.js';

const LONG_MS = 60_000;

/** A server whose tool has a view. @param properties those of its arguments. @param word what the view says. */
const program = (
  properties: object,
  word: string,
  name = 'show',
): string => `import { createApp, defineResource, defineTool } from '@sigil/core';
const uri = 'ui://word/view.html';
const show = defineTool({
  name: '${name}',
  meta: { ui: { resourceUri: uri } },
  input: { type: 'object', properties: ${JSON.stringify(properties)}, additionalProperties: false },
  handle: () => 'shown',
});
const view = defineResource({
  uri,
  name: 'view',
  mimeType: 'text/html;profile=mcp-app',
  handle: () => \`<p>The word is ${word}</p><script>
    parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: {} }, '*');
  </script>\`,
});
const app = await createApp({ name: 'dev', version: '1.0.0', definitions: [show, view] });
await app.run();
`;

describeInBrowser('the page of sigil dev while its server starts again', () => {
  let browser: Browser;
  let dev: PageProject;
  let page: Page;
  const warnings: string[] = [];
  beforeAll(async () => {
    const source = program({ name: { type: 'string' }, size: { type: 'string' } }, 'tea');
    [dev, browser] = await Promise.all([PageProject.start(source), startBrowser()]);
    page = await browser.newPage();
    page.setDefaultTimeout(LONG_MS);
    page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
    await page.goto(dev.url.href);
    await choose(page, 'show');
  }, 2 * LONG_MS);
  afterAll(async () => {
    await browser?.close();
    await dev?.close();
    await endProcesses();
  });

  const field = (name: string) => page.getByRole('main').getByRole('textbox', { name, exact: true });
  const call = async (count: number): Promise<void> => {
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText(`${count} earlier`).waitFor();
    await page.frameLocator('iframe').getByText('The word is cup').waitFor();
  };
  /** How often the view was read. */
  const reads = (): Promise<number> =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/api/views')).length,
    );

  test(
    'the form and the view follow what is saved',
    async () => {
      await field('name').fill('Ada');
      await field('size').fill('big');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      const view = page.frameLocator('iframe');
      await view.getByText('The word is tea').waitFor();
      dev.project.write(
        'src/main.ts',
        program({ name: { type: 'string' }, color: { type: 'string' } }, 'cup'),
      );
      await view.getByText('The word is cup').waitFor();
      await field('color').waitFor();
      expect(await field('name').inputValue()).toBe('Ada');
      expect(await page.locator('main textarea.code').count()).toBe(0);
      expect(await page.locator('main .problem').count()).toBe(0);
      expect(await field('size').count()).toBe(0);
      await page.getByRole('tab', { name: /^Changes/ }).click();
      const changes = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
      expect(await changes.allInnerTexts()).toEqual([expect.stringMatching(/tool changed show$/)]);
    },
    2 * LONG_MS,
  );

  test('the tool, what is typed, the last result and the tab are still there when the page is loaded again', async () => {
    expect(new URL(page.url()).hash).toBe('#tool/show');
    await field('color').fill('red');
    await page.reload();
    await field('color').waitFor();
    expect([await field('name').inputValue(), await field('color').inputValue()]).toEqual(['Ada', 'red']);
    await page.frameLocator('iframe').getByText('The word is cup').waitFor();
    await page.getByRole('tab', { name: /^Changes/, selected: true }).waitFor();
  });

  test(
    'views of earlier results are read when they are opened',
    async () => {
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.frameLocator('iframe').getByText('The word is cup').waitFor();
      const before = await reads();
      await call(2);
      await call(3);
      expect(await reads()).toBe(before + 2);
      await page.getByText('3 earlier').click();
      await page.getByRole('button', { name: 'Show the view' }).first().click();
      await page.locator('iframe').nth(1).waitFor();
      expect(await page.locator('iframe').count()).toBe(2);
      expect(warnings).toEqual([]);
    },
    2 * LONG_MS,
  );

  test(
    'a view that does not start is named',
    async () => {
      const properties = { name: { type: 'string' } };
      dev.project.write(
        'src/main.ts',
        program(properties, '<script>throw new Error("gone")</script>').replace('parent.', 'missing.'),
      );
      await page.getByText('The view has not started within 5 s').first().waitFor();
      await page.getByText('The view fails: Uncaught Error: gone').first().waitFor();
    },
    LONG_MS,
  );

  test('calls have their revision and their time in the server', async () => {
    await page.getByRole('tab', { name: /^Calls/ }).click();
    const row = page.getByRole('tabpanel', { name: 'Calls' }).locator('summary').first();
    await row.getByText('2026-07-28').waitFor();
    await row.getByText('in the server').waitFor();
  });

  test(
    'a tool that was renamed keeps its arguments, and leads to the new name',
    async () => {
      const submit = page.getByRole('button', { name: 'Call', exact: true });
      await field('name').fill('Cleo');
      dev.project.write('src/main.ts', program({ name: { type: 'string' } }, 'pot', 'display'));
      await page.getByText('The server no longer serves it.').waitFor();
      expect(await submit.isDisabled()).toBe(true);
      expect(await field('name').inputValue()).toBe('Cleo');
      await page.getByRole('button', { name: 'Go to display with these arguments' }).click();
      await page.getByRole('heading', { name: 'display', exact: true }).waitFor();
      expect(await field('name').inputValue()).toBe('Cleo');
      expect(await submit.isDisabled()).toBe(false);
    },
    LONG_MS,
  );

  test('the badge says that the command has ended', async () => {
    await dev.project.remove();
    await page.getByRole('status').filter({ hasText: 'sigil dev has ended' }).waitFor();
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import {
  answerInPlace,
  choose,
  describeInBrowser,
  type DevPage,
  openDevPage,
  withDevPage,
} from './dev-page.js';

describeInBrowser('calls on the page of sigil dev', () => {
  let dev: DevPage;
  let page: Page;
  const errors: string[] = [];
  withDevPage(async (started, browser) => {
    dev = started;
    page = await openDevPage(browser, dev.url);
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    page.on('pageerror', (error) => void errors.push(String(error)));
  });
  // A policy that was broken, or code that has failed.
  afterAll(() => expect(errors).toEqual([]));

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const field = (name: string) => page.getByRole('main').getByRole('textbox', { name, exact: true });
  const suggested = (name: string) => page.getByRole('combobox', { name, exact: true });
  const call = async (name: string, args: Readonly<Record<string, string>> = {}): Promise<void> => {
    await choose(page, name);
    for (const [key, value] of Object.entries(args)) await field(key).fill(value);
    await press('Call');
  };

  test('a text keeps its line breaks, and is never read as HTML', async () => {
    await call('greet', { name: '<img src=x onerror="document.title=\'run\'">\n<b>bold</b>' });
    const text = page.locator('.outcome pre');
    await text.waitFor();
    expect(await text.innerText()).toBe('Hello, <img src=x onerror="document.title=\'run\'">\n<b>bold</b>!');
    expect(await page.title()).toBe('Sigil');
  });

  test('characters that cannot be seen are escaped in names, descriptions, results and errors', async () => {
    const name = 'read_\u202eelif\u202c';
    const [shown, text] = ['read_\\u202eelif\\u202c', 'a\u200bb\u0007 \u{e0041} \u2067c\n❤️‍🔥 می‌روم'];
    const tools = [{ name, title: 'read\u2066_file', description: text }];
    await answerInPlace(page, 'tools/list', { result: { tools } });
    await answerInPlace(page, 'tools/call', { result: { content: [{ type: 'text', text }] } });
    await page.reload();
    await choose(page, shown);
    await page.getByRole('heading', { name: shown, exact: true }).waitFor();
    await page.getByText('read\\u2066_file', { exact: true }).waitFor();
    expect(await page.getByRole('navigation').getByTitle('read_').first().getAttribute('title')).toMatch(
      /^read_\\u202eelif\\u202c: a\\u200bb/,
    );
    await press('Call');
    const result = page.locator('.outcome pre');
    await result.waitFor();
    expect(await result.innerText()).toBe('a\\u200bb\\u0007 \\udb40\\udc41 \\u2067c\n❤️‍🔥 می‌روم');
    const sent = page.waitForRequest((request) => request.postData()?.includes('tools/call') ?? false);
    await answerInPlace(page, 'tools/call', { error: { code: 1, message: 'not \u202ered' } });
    await press('Call');
    await page.getByText('not \\u202ered').waitFor();
    expect((await sent).postDataJSON()).toMatchObject({ params: { name } });
    await page.unrouteAll();
    await page.reload();
  });

  test('pictures, recordings, and resources inside a result are shown', async () => {
    await call('test_multiple_content_types');
    await page.getByRole('img', { name: 'Picture, image/png' }).waitFor();
    await page.getByText('test://mixed-content-resource').waitFor();
    await page.getByText('value: 123').waitFor();
    await call('test_audio_content');
    await page.locator('audio').waitFor();
  });

  test('blocks and bytes that are wrong are shown as JSON, with what is wrong', async () => {
    const resource = { uri: 'test://bytes', mimeType: 'application/zip', blob: '%%%' };
    const odd = [
      [null, 'A content block must be an object.'],
      [{ type: 'hologram', depth: 3 }, 'MCP has no block of type "hologram".'],
      [{ type: 'text', depth: 4 }, 'A text block must have a text.'],
      [{ type: 'image', data: 'AAAA' }, 'A block of type image must have data and a mimeType.'],
      [{ type: 'image', data: '%%%', mimeType: 'image/png' }, 'The bytes must be base64.'],
      [
        { type: 'image', data: 'AAAA', mimeType: 'image/gif' },
        'The browser cannot read the bytes as image/gif.',
      ],
      [
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        'The browser cannot read the bytes as audio/wav.',
      ],
      [
        { type: 'resource', resource: null },
        'The contents of a resource must have a uri, and either a text or a blob.',
      ],
      [{ type: 'resource', resource }, 'The bytes must be base64.'],
      [{ type: 'resource_link', name: 'nowhere' }, 'A link to a resource must have a uri.'],
      [{ type: 'resource_link', uri: 'https:', name: 'odd' }, 'Show'],
    ] as const;
    await choose(page, 'test_simple_text');
    for (const [block, what] of odd) {
      await answerInPlace(page, 'tools/call', {
        result: { content: [block, { type: 'text', text: 'after it' }] },
      });
      await press('Call');
      const shown = page.locator('.outcome').first();
      await shown.getByText(what).waitFor();
      await shown.getByText('after it').waitFor();
      if (what !== 'Show') expect(await shown.locator('.json, .json-line').count()).toBeGreaterThan(0);
    }
    await answerInPlace(page, 'tools/call', { result: { content: 'a text' } });
    await press('Call');
    await page.getByText('The content of a result must be a list of blocks.').waitFor();
    await page.getByText('"a text"').waitFor();
    await page.unrouteAll();
  });

  test('a link to a resource leads to the resource', async () => {
    await call('point_to_text');
    await press('Show');
    await press('Read');
    await page.getByText('static text').last().waitFor();
  });

  test('a list of flat objects is a table', async () => {
    await call('place_order', {
      name: 'Ada',
      email: 'ada@example.org',
      street: '1 Rue',
      city: 'Paris',
      country: 'FR',
      sku: 'TEA-0001',
      quantity: '2',
    });
    await page.locator('.outcome').waitFor();
    await call('list_orders');
    const table = page.getByRole('table');
    await table.waitFor();
    expect(await table.getByRole('columnheader').count()).toBeGreaterThan(1);
    expect(await table.innerText()).toContain('order-');
  });

  test('tools that fail, and errors of the protocol, look different', async () => {
    await call('test_error_handling');
    await page.getByText('The tool has failed. The model reads this:').waitFor();
    await call('fail_protocol');
    await page.getByText('JSON-RPC error 4001').waitFor();
    const [first, second] = await Promise.all([
      page.getByRole('status').filter({ hasText: 'isError' }).count(),
      page.getByRole('status').filter({ hasText: 'error' }).count(),
    ]);
    expect([first, second]).toEqual([0, 1]);
  });

  test('progress and log messages come while a call runs, which can be cancelled', async () => {
    await page.getByText('2025-11-25', { exact: true }).click();
    await call('slow_compute', { seconds: '60' });
    await page.getByRole('progressbar').waitFor();
    await page.getByText('of 60 seconds').waitFor();
    await press('Cancel');
    await page.getByText('The call was cancelled.').waitFor();
    await call('test_tool_with_logging');
    await page.getByText('3 log messages').waitFor();
    await page.getByRole('tab', { name: /^Logs/ }).click();
    await page.getByRole('tabpanel').last().getByText('info').first().waitFor();
    await page.getByText('2026-07-28', { exact: true }).first().click();
  });

  test('both revisions answer side by side', async () => {
    await page.getByText('both', { exact: true }).click();
    await choose(page, 'add');
    await field('a').fill('1');
    await field('b').fill('2');
    await press('Call in both');
    const [modern, legacy] = [
      page.getByRole('article', { name: 'add, 2026-07-28' }),
      page.getByRole('article', { name: 'add, 2025-11-25' }),
    ];
    await modern.getByText('ok', { exact: true }).waitFor();
    await legacy.getByText('result: 3').waitFor();
    await modern.getByRole('button', { name: 'Message' }).click();
    await modern.getByText('resultType').waitFor();
    await page.getByText('2026-07-28', { exact: true }).first().click();
  });

  test('prompts are filled with suggestions of the server', async () => {
    await choose(page, 'review_code');
    await suggested('language').fill('ty');
    await page.locator('datalist option[value="typescript"]').waitFor({ state: 'attached' });
    await suggested('language').fill('typescript');
    await suggested('maxFindings').fill('2');
    await press('Get');
    await page.getByText('at most 2 findings').waitFor();
    await page.getByRole('heading', { name: 'user' }).waitFor();
    await choose(page, 'add');
    await choose(page, 'review_code');
    expect(await suggested('language').inputValue()).toBe('typescript');
    await press('JSON');
    const json = page.getByRole('textbox', { name: 'Arguments as JSON' });
    expect(JSON.parse(await json.inputValue())).toEqual({ language: 'typescript', maxFindings: '2' });
  });

  test('templates are filled, with suggestions of the server, and read', async () => {
    await choose(page, 'test://template/{id}/data');
    await suggested('id').fill('a b');
    await page.getByText('test://template/a%20b/data').waitFor();
    await press('Read');
    await page.getByText('"a b"').first().waitFor();
  });

  test('a call is saved as a test, which can be written into the project', async () => {
    await call('greet', { name: 'Ada' });
    await press('Save as a test');
    const dialog = page.getByRole('dialog', { name: 'Save as a test' });
    await dialog.getByText('Hello, Ada!').waitFor();
    await dialog.getByRole('textbox').fill('greets Ada');
    await dialog.getByRole('button', { name: 'Show the test' }).click();
    await dialog.getByText("test('greets Ada'").waitFor();
    await dialog.getByRole('textbox').fill('greets Ada by her name');
    await dialog.getByRole('button', { name: 'Write the file' }).click();
    await dialog.getByText('Written to test/greet.test.ts').waitFor();
    await dialog.getByText("test('greets Ada by her name'").waitFor();
    expect(await dialog.getByRole('button', { name: 'Written', exact: true }).isDisabled()).toBe(true);
    expect(readdirSync(`${dev.project}/test`)).toEqual(['greet.test.ts']);
    expect(readFileSync(`${dev.project}/test/greet.test.ts`, 'utf8')).toContain('greets Ada by her name');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a tool that only views may call says so, and claims must be an object', async () => {
    const list = page.getByRole('navigation');
    const name = await list.locator('li', { hasText: 'views only' }).first().locator('.name').innerText();
    await choose(page, name);
    await page.getByRole('tab', { name: 'Visibility' }).click();
    await page.getByText('It is for views only: models do not see it.').waitFor();
    await page.getByRole('textbox', { name: 'Claims' }).fill('[]');
    await page.getByText('Claims must be a JSON object').waitFor();
    expect(await page.getByRole('button', { name: 'Explain' }).isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Claims' }).fill('{}');
    await press('Explain');
    await page.getByText('sees it.').waitFor();
    await page.getByRole('tab', { name: 'Call', exact: true }).click();
    await press('Call');
    await page.locator('.outcome').first().waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('the view of a result is shown, and speaks with its host alone', async () => {
    await choose(page, 'mix_color');
    for (const name of ['red', 'green', 'blue']) await field(name).fill('16');
    await press('Call');
    const view = page.frameLocator('iframe');
    await view.getByText('#101010').waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts allow-forms');
    dev.state.change({ starts: dev.state.starts + 1 });
    await view.getByText('#101010').waitFor();
  });
});

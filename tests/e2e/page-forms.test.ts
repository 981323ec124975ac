import { expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { choose, describeInBrowser, type DevPage, openDevPage, withDevPage } from './dev-page.js';

const customer = {
  name: 'Ada',
  email: 'ada@example.org',
  address: { street: '1 Rue', city: 'Paris', country: 'FR' },
};
const order = {
  customer,
  lines: [
    { sku: 'TEA-0001', quantity: 2 },
    { sku: 'CUP-0002', quantity: 1 },
  ],
  shipping: 'express',
  tags: ['gift', ''],
};

/** What each tool with arguments is filled with. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  add: { a: 1, b: -2.5 },
  complete_page: { elicitationId: 'none' },
  confirm_delete: { filename: 'a.txt' },
  count_words: { text: 'one two\nthree' },
  days_between: { from: '2026-01-01T00:00:00Z', to: '2026-01-03T12:30:00+02:00' },
  delete_record: { id: '7' },
  fail_protocol: { code: 4002 },
  greet: { name: 'Ada' },
  json_schema_2020_12_tool: { name: 'Ada', address: { street: '1 Rue' }, contactMethod: 'phone', phone: '' },
  mix_color: { red: 255, green: 0, blue: 16 },
  open_page: { url: 'https://example.org/' },
  place_order: order,
  plan_trip: { destination: 'France' },
  quote_order: { ...order, note: 'Ring twice' },
  repeat: { text: 'ho', times: 3, separator: '\n' },
  slow_compute: { seconds: 0, label: 'sum' },
  state_of_wait: { label: 'none' },
  test_elicitation: { message: 'Who are you?' },
  test_sampling: { prompt: 'Capital of France?' },
  test_x_mcp_header: { region: 'eu', level: 3 },
  wait_until_cancelled: { label: 'a' },
};

describeInBrowser('forms on the page of sigil dev', () => {
  let dev: DevPage;
  let browser: Browser;
  let page: Page;
  withDevPage(async (...started) => {
    [dev, browser] = started;
    page = await openDevPage(browser, dev.url);
  });

  const text = (name: string, place = 0) => page.getByRole('textbox', { name, exact: true }).nth(place);
  const json = () => page.getByRole('textbox', { name: 'Arguments as JSON' });
  const switchJson = () => page.getByRole('button', { name: 'JSON', exact: true }).click();

  test('every tool has a form, which keeps what it is filled with', async () => {
    const names = await page.getByRole('region', { name: 'Tools' }).locator('.name').allInnerTexts();
    expect(names.length).toBeGreaterThan(50);
    const withFields: string[] = [];
    for (const name of names) {
      await choose(page, name);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.getByRole('form', { name: `Arguments of ${name}` }).waitFor();
      if (await page.getByText('It takes no arguments.').isVisible()) continue;
      withFields.push(name);
      const filled = ARGUMENTS[name];
      await switchJson();
      await json().fill(JSON.stringify(filled));
      await switchJson();
      expect(await page.locator('main textarea.code').count()).toBe(0);
      await switchJson();
      expect(JSON.parse(await json().inputValue())).toEqual(filled);
    }
    expect(withFields.sort()).toEqual(Object.keys(ARGUMENTS).sort());
  }, 120_000);

  test('a nested form with a list is filled by hand and sent', async () => {
    // Another page has nothing typed yet.
    page = await openDevPage(browser, dev.url);
    await choose(page, 'place_order');
    await text('name').fill('Ada');
    await text('email').fill('ada@example.org');
    await text('street').fill('1 Rue');
    await text('city').fill('Paris');
    await text('country').fill('FR');
    await text('sku').fill('TEA-0001');
    await text('quantity').fill('2');
    await page.getByRole('button', { name: 'Add to lines' }).click();
    await text('sku', 1).fill('CUP-0002');
    await text('quantity', 1).fill('1');
    await page.getByRole('button', { name: 'Add to lines' }).click();
    await page.getByRole('button', { name: 'Remove lines 3' }).click();
    await page.getByLabel('shipping').selectOption('express');
    await page.getByRole('button', { name: 'Add tags' }).click();
    await text('tags 1').fill('gift');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.outcome').first().getByText('order-').first().waitFor();
    await switchJson();
    expect(JSON.parse(await json().inputValue())).toEqual({ ...order, tags: ['gift'] });
  });

  test('wrong input is named, and sent when the developer insists', async () => {
    await choose(page, 'mix_color');
    await text('red').fill('300');
    await text('green').fill('many');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText("'many' is not a number").waitFor();
    const wrong = ['must be at most 255', "'many' is not a number", 'is required'];
    expect(await page.locator('main form .problem').allInnerTexts()).toEqual(wrong);
    for (const name of ['red', 'green', 'blue'])
      expect(await text(name).getAttribute('aria-invalid')).toBe('true');
    await page.locator('main input:focus').and(text('red')).waitFor();
    expect(await page.locator('.run').count()).toBe(0);
    // Unseen texts scroll with the form, and make no second scrollbar.
    await page.setViewportSize({ width: 1280, height: 300 });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(300);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Call anyway' }).click();
    await page.getByText('The tool has failed. The model reads this:').waitFor();
  });

  test('an optional text is left out, or sent empty when the developer wants that', async () => {
    await choose(page, 'test_x_mcp_header');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('region=<none>, level=<none>').waitFor();
    await page.getByRole('button', { name: 'Send an empty text as region' }).click();
    await switchJson();
    expect(JSON.parse(await json().inputValue())).toEqual({ region: '' });
  });

  test('dates are chosen by the control of the browser, in UTC', async () => {
    await choose(page, 'days_between');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    expect(await page.locator('main form .problem').allInnerTexts()).toEqual(['is required', 'is required']);
    await text('from').fill('2026-01-01T00:00:00');
    await text('to').fill('2026-01-03T00:00:00');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('days: 2').waitFor();
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  answerInPlace,
  choose,
  describeInBrowser,
  type DevPage,
  openDevPage,
  withDevPage,
} from './dev-page.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** `SCREENS=1` writes the pictures of the documentation. */
const PICTURES = process.env['SCREENS']
  ? ['view-1280-light', 'question-1280-light', 'form-1280-dark', 'failure-1280-dark', 'question-400-light']
  : [];

/** What axe finds. */
interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe has against the page as it is, of those that keep people from using it. */
async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    return (await axe.run({ iframes: false })).violations;
  });
  return found
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** The main states of the page, each with how it is reached. */
const STATES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  start: async (page) => page.getByRole('heading', { name: 'Capabilities' }).waitFor(),
  form: async (page) => choose(page, 'place_order'),
  view: async (page) => {
    await choose(page, 'mix_color');
    for (const [name, value] of [
      ['red', '70'],
      ['green', '70'],
      ['blue', '198'],
    ] as const)
      await page.getByRole('textbox', { name, exact: true }).fill(value);
    await press(page, 'Call');
    await page.frameLocator('iframe').getByText('#4646c6').waitFor();
  },
  failure: async (page) => {
    await choose(page, 'fail_protocol');
    await press(page, 'Call');
    await page.getByText('JSON-RPC error 4001').waitFor();
    await page.getByRole('tab', { name: /^Trace/ }).click();
    await page.getByRole('complementary').locator('summary').first().click();
  },
  question: async (page) => {
    await choose(page, 'test_elicitation_sep1330_enums');
    await press(page, 'Call');
    await page.getByRole('dialog').waitFor();
  },
  revisions: async (page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await page.getByText('both', { exact: true }).click();
    await choose(page, 'add');
    for (const name of ['a', 'b']) await page.getByRole('textbox', { name, exact: true }).fill('2');
    await press(page, 'Call in both');
    await page.getByText('result: 4').waitFor();
  },
  ...Object.fromEntries(
    ['Calls', 'Changes', 'Logs', 'Output', 'Login', 'Findings'].map((name) => [
      name.toLowerCase(),
      (page: Page) => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click(),
    ]),
  ),
};

describeInBrowser('the page of sigil dev is for everybody', () => {
  let browser: Browser;
  let dev: DevPage;
  withDevPage((...started) => {
    [dev, browser] = started;
  });

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [800, 'light'],
    [400, 'light'],
    [400, 'dark'],
  ] as const)(
    'axe finds nothing serious, and nothing overflows, at %i px in %s',
    async (width, colorScheme) => {
      const page = await openDevPage(browser, dev.url, { viewport: { width, height: 900 }, colorScheme });
      const found: string[] = [];
      for (const [name, reach] of Object.entries(STATES)) {
        await reach(page);
        const picture = `${name}-${width}-${colorScheme}`;
        if (PICTURES.includes(picture)) await page.screenshot({ path: `docs/screens/page-${picture}.png` });
        for (const violation of await seriousViolations(page)) found.push(`${name}: ${violation}`);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (overflow !== 0) found.push(`${name}: overflows by ${String(overflow)} px`);
      }
      expect(found).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  test('a long name of a tool is shown whole at 800 px', async () => {
    const page = await openDevPage(browser, dev.url, { viewport: { width: 800, height: 900 } });
    const name = 'a_tool_whose_name_is_longer_than_its_list_is_wide'.repeat(2);
    await answerInPlace(page, 'tools/list', { result: { tools: [{ name }] } });
    await page.reload();
    const shown = page.getByRole('navigation').getByText(name, { exact: true });
    await shown.waitFor();
    expect(await shown.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThan(1);
    await page.context().close();
  });

  test('a developer calls, answers and saves by the keyboard alone', async () => {
    const page = await openDevPage(browser, dev.url);
    const { keyboard } = page;
    const isFocused = (locator: Locator): Promise<boolean> =>
      locator.evaluate((element) => element === element.ownerDocument.activeElement);
    const tabTo = async (locator: Locator): Promise<void> => {
      for (let tries = 0; tries < 40; tries += 1) {
        if (await isFocused(locator)) return;
        await keyboard.press('Tab');
      }
      throw new Error(`The Tab key does not lead to ${String(locator)}`);
    };
    const textbox = (name: string): Locator => page.getByRole('textbox', { name, exact: true });
    const filter = page.getByRole('searchbox', { name: 'Filter', exact: true });

    await tabTo(filter);
    await keyboard.type('mixes a color');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    for (const name of ['red', 'green', 'blue']) {
      await tabTo(textbox(name));
      await keyboard.type('10');
    }
    await keyboard.press('Control+Enter');
    const save = page.getByRole('button', { name: 'Save as a test' });
    await save.waitFor();
    await tabTo(save);
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('.test.ts').waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(save)).toBe(true);

    // Back to the list, which one key leads through.
    await filter.focus();
    await keyboard.press('Control+A');
    await keyboard.type('asks the user for a name');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: 'Call', exact: true }));
    await keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo(textbox('name'));
    await keyboard.type('Ada');
    await keyboard.press('Control+Enter');
    await page.locator('.outcome').getByText('Hello, Ada!').waitFor();

    const tabs = page.getByRole('tablist', { name: 'Activity' });
    await tabTo(tabs.getByRole('tab', { name: /^Calls/ }));
    for (const name of ['Trace', 'Changes', 'Logs', 'Output', 'Login', 'Findings']) {
      await keyboard.press('ArrowRight');
      expect(await isFocused(tabs.getByRole('tab', { name: new RegExp(`^${name}`) }))).toBe(true);
      await page.getByRole('tabpanel', { name: new RegExp(`^${name}`) }).waitFor();
    }
    for (const [key, name] of [
      ['ArrowRight', /^Calls/],
      ['End', /^Findings/],
      ['Home', /^Calls/],
      ['ArrowLeft', /^Findings/],
    ] as const) {
      await keyboard.press(key);
      expect(await isFocused(tabs.getByRole('tab', { name }))).toBe(true);
    }
    await page.context().close();
  }, 120_000);
});

describe('the files of the page of sigil dev', () => {
  const files = ['index.html', 'page.js', 'page.css'].map((name) =>
    readFileSync(`packages/cli/dist/browser/${name}`),
  );

  test('they are small', () => {
    const sizes = files.map(({ byteLength }) => byteLength);
    const packed = files.map((file) => gzipSync(file).byteLength);
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    expect(sum(sizes)).toBeLessThan(142_000);
    expect(sum(packed)).toBeLessThan(48_000);
  });

  test('they load nothing from elsewhere, and make no code of texts', () => {
    const text = files.join('\n');
    for (const word of ['eval(', 'new Function', 'document.write', 'import(', 'style="'])
      expect(text).not.toContain(word);
    expect(text).not.toMatch(/(src|href)="?https?:/);
  });

  test('their sources make no HTML of texts', () => {
    const folder = 'packages/cli/page/src';
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    expect(sources.length).toBeGreaterThan(20);
    for (const name of sources) expect(readFileSync(`${folder}/${name}`, 'utf8')).not.toMatch(/innerHTML/i);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, startBrowser } from '../e2e/dev-page.js';
import { type BuiltPage, builtPages, builtTwins, buildSite, serveSite, whyDead } from './built-site.js';

// Builds the whole site.
jest.setTimeout(180_000);

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Over the wire, compressed. */
const FIRST_PAGE_BYTES = 150_000;
const PAGES = [
  '',
  'guide/tasks.html',
  'guide/dev.html',
  'reference/api/@sigil/stdio/',
  'errors/SIGIL_ERASED_TYPE.html',
  'packages/core.html',
];
const WIDTHS = [400, 800, 1280];

/** `SCREENS=<folder>` writes a picture of each page there; `SITE_BUILT=1` takes the site as it was built before. */
const { SCREENS, SITE_BUILT } = process.env;

let pages: ReadonlyMap<string, BuiltPage>;
beforeAll(async () => {
  if (!SITE_BUILT) await buildSite();
  pages = builtPages();
}, 180_000);

describe('the site', () => {
  test('has no dead link and no dead anchor', () => {
    const dead = [...pages.values()].flatMap(({ path, links }) =>
      links.map((link) => whyDead(pages, path, link)).filter((why) => why !== undefined),
    );
    expect(pages.size).toBeGreaterThan(100);
    expect([...new Set(dead)]).toEqual([]);
  });

  test.each(readdirSync('packages'))('has what the README of %s links to', (name) => {
    const text = readFileSync(`packages/${name}/README.md`, 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !/^(https?:|#)/.test(link))).toEqual([]);
    expect(links.map((link) => whyDead(pages, `packages/${name}.html`, link)).filter(Boolean)).toEqual([]);
  });

  test('has a twin in Markdown of every page, and leads agents to them', () => {
    const llms = readFileSync('node_modules/.cache/site/llms.txt', 'utf8');
    const paths = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const guide = readdirSync('docs/guide').map((page) => `/guide/${page}`);
    expect(guide.filter((page) => !paths.some((path) => path.endsWith(page)))).toEqual([]);
    expect(paths.map((path) => whyDead(pages, '', path)).filter(Boolean)).toEqual([]);
    const dead = builtTwins().flatMap(({ path, links }) => links.map((link) => whyDead(pages, path, link)));
    expect(dead.filter(Boolean)).toEqual([]);
    expect(readFileSync('node_modules/.cache/site/guide/tasks.md', 'utf8')).toContain(
      '# Tools that take long',
    );
    expect(readFileSync('node_modules/.cache/site/llms-full.txt', 'utf8')).toContain(
      '# Tools that take long',
    );
  });
});

/** What keeps people from using a page, as axe finds it. */
async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Violation {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
  });
}

describeInBrowser('the site in a browser', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    site = await serveSite();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test(`loads at most ${FIRST_PAGE_BYTES} bytes for its first page, all from its own origin`, async () => {
    const page = await browser.newPage();
    const sizes: Promise<readonly [string, number]>[] = [];
    page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then(({ responseBodySize }) => [request.url(), responseBodySize] as const));
    });
    await page.goto(site.url, { waitUntil: 'networkidle' });
    const loaded = await Promise.all(sizes);
    await page.close();
    expect(loaded.map(([url]) => url).filter((url) => !url.startsWith(site.url))).toEqual([]);
    expect(loaded.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(FIRST_PAGE_BYTES);
  });

  test('finds by its search, and asks no other origin for that', async () => {
    const page = await browser.newPage();
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url)) elsewhere.push(request.url());
    });
    await page.goto(`${site.url}guide/tasks.html`, { waitUntil: 'networkidle' });
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('startTask');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').first().innerText()).toContain('Tools that take long');
    await page.close();
    expect(elsewhere).toEqual([]);
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    test.each(WIDTHS)('has nothing serious for axe, and nothing overflows, at %s px', async (width) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const found: Record<string, unknown> = {};
      for (const path of PAGES) {
        await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' });
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        const violations = await seriousViolations(page);
        if (overflow > 0 || violations.length > 0) found[path] = { overflow, violations };
        if (SCREENS) {
          const name = path.replaceAll(/[^\w]/g, '-') || 'home';
          await page.screenshot({ path: `${SCREENS}/${name}-${width}-${colorScheme}.png` });
        }
      }
      await context.close();
      expect(found).toEqual({});
    });
  });
});

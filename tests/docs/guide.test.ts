import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const GUIDE = 'docs/guide';
const pages = readdirSync(GUIDE);

test.each(pages)('the page %s of the guide is tested, and stands in the sidebar', (page) => {
  expect(existsSync(`tests/docs/guide-${page.replace(/\.md$/, '')}.test.ts`)).toBe(true);
  expect(readFileSync('docs/.vitepress/sidebar.ts', 'utf8')).toMatch(
    new RegExp(`'(guide/)?${page.replace(/\.md$/, '')}'`),
  );
});

const FOLDERS = [GUIDE, 'docs/coming-from', 'docs/recipes'];
const everyPage = FOLDERS.flatMap((folder) => readdirSync(folder).map((page) => `${folder}/${page}`));

test('each page has a description of its own, which search engines and agents show', () => {
  const descriptions = everyPage.map((page) => /^description: (.*)$/m.exec(readFileSync(page, 'utf8'))?.[1]);
  expect(everyPage.filter((_page, at) => (descriptions[at] ?? '') === '')).toEqual([]);
  expect(new Set(descriptions).size).toBe(everyPage.length);
});

test.each(everyPage)('the links of the page %s lead to pages and headings that are there', (page) => {
  const text = readFileSync(page, 'utf8');
  const dead = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].filter(
    ([, path = '', heading]) => {
      const file = path === '' ? page : join(dirname(page), path);
      return !existsSync(file) || (heading !== undefined && !headingsOf(file).includes(heading));
    },
  );
  expect(dead.map(([link]) => link)).toEqual([]);
});

/** The headings of a page as links name them. */
function headingsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
}

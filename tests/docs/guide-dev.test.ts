import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { textBlocks } from './code-blocks.js';

const PAGE = 'docs/guide/dev.md';
const SCREENS = 'tests/e2e/__snapshots__/dev-terminal.test.ts.snap';

test('the page dev of the guide shows screens that sigil dev has shown', async () => {
  const screens = createRequire(import.meta.url)(`${process.cwd()}/${SCREENS}`) as Record<string, string>;
  const shown = [
    ...Object.values(screens).map((screen) => screen.replaceAll("\\'", "'")),
    ...(await textBlocks('docs/cli.md', '')),
  ];
  const blocks = (await textBlocks(PAGE, 'console')).map((block) => block.trim());
  expect(blocks.length).toBe(4);
  expect(blocks.filter((block) => !shown.some((screen) => screen.includes(block)))).toEqual([]);
});

test('the page dev of the guide shows pictures that are there', () => {
  const pictures = [...readFileSync(PAGE, 'utf8').matchAll(/!\[[^\]]+\]\(\.\.\/([^)]+)\)/g)];
  expect(pictures.length).toBe(4);
  expect(pictures.filter(([, path]) => !existsSync(`docs/${path}`))).toEqual([]);
});

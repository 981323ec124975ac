import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const text = readFileSync('docs/llms.txt', 'utf8');

test('docs/llms.txt is what its generator writes', async () => {
  await promisify(execFile)(process.execPath, ['scripts/llms.mjs', '--check']);
});

test('docs/llms.txt leads to pages that are there', () => {
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);

  expect(links.length).toBeGreaterThan(14);
  expect(links.filter((path) => !existsSync(`docs/${path}`))).toEqual([]);
});

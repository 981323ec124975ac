import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { format, resolveConfig } from 'prettier';

const [BEGIN, END] = ['<!-- what npm run test:anywhere finds -->', '<!-- end of what it finds -->'];

/** Holds what a page says between its marks against what was found; with `WRITE=1` the page is written first. */
export async function checkPage(path: string, parts: readonly string[]): Promise<void> {
  const page = readFileSync(path, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const text = [`${before}${BEGIN}`, ...parts, `${END}${after}`].join('\n\n');
  const written = await format(text, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (process.env['WRITE'] === '1') writeFileSync(path, written);
  expect(readFileSync(path, 'utf8')).toBe(written);
}

/** A table in Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

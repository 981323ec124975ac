import { readFile } from 'node:fs/promises';

/** The rows of the first table below a heading of a page, without code marks. */
export async function tableRows(page: string, heading: string): Promise<string[][]> {
  const text = await readFile(page, 'utf8');
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = lines.slice(2).map((line) => line.replaceAll('\\|', '\u0000').split('|').slice(1, -1));
  return cells.map((row) => row.map((cell) => cell.replaceAll('\u0000', '|').trim().replaceAll('`', '')));
}

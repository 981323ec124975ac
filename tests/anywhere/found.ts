import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { format, resolveConfig } from 'prettier';

const [BEGIN, END] = ['<!-- what npm run test:anywhere finds -->', '<!-- end of what it finds -->'];

interface Table {
  readonly columns: readonly string[];
  /** A word for each column. */
  readonly rows: Map<string, string[]>;
}

/** What was found: tables by the head of their first column, rows by name. */
export class Found {
  readonly #tables = new Map<string, Table>();

  /** Notes a word in a cell. */
  note(table: string, columns: readonly string[], row: string, column: string, what: string): void {
    const { rows } = this.#tables.get(table) ?? { rows: new Map<string, string[]>() };
    this.#tables.set(table, { columns, rows });
    const words = rows.get(row) ?? columns.map(() => '');
    words[columns.indexOf(column)] = what;
    rows.set(row, words);
  }

  /**
   * Holds a page to what was found, between two comments of it; with `WRITE=1` in the environment, writes that there.
   *
   * @param more what follows the tables.
   */
  async compareWith(page: string, ...more: readonly string[]): Promise<void> {
    const text = readFileSync(page, 'utf8');
    const [before = '', rest = ''] = text.split(BEGIN);
    const [, after = ''] = rest.split(END);
    const tables = [...this.#tables].map(([name, { columns, rows }]) =>
      tableOf(
        [name, ...columns],
        [...rows].map(([row, words]) => [row, ...words]),
      ),
    );
    const options = await resolveConfig(page);
    const found = [`${before}${BEGIN}`, ...tables, ...more, `${END}${after}`].join('\n\n');
    const written = await format(found, { ...options, parser: 'markdown' });
    if (process.env['WRITE'] === '1') writeFileSync(page, written);
    expect(readFileSync(page, 'utf8')).toBe(written);
  }
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

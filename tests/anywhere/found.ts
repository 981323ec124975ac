import { checkPage, tableOf } from './pages.js';

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
   * Holds a page to what was found. See `checkPage`.
   *
   * @param more what follows the tables.
   */
  async compareWith(page: string, ...more: readonly string[]): Promise<void> {
    const tables = [...this.#tables].map(([name, { columns, rows }]) =>
      tableOf(
        [name, ...columns],
        [...rows].map(([row, words]) => [row, ...words]),
      ),
    );
    await checkPage(page, [...tables, ...more]);
  }
}

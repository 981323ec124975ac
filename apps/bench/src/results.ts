import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { median } from './median.js';
import { ratio } from './ratio.js';
import type { MeasuredRow } from './table.js';

/** Writes every reading to `results/latest.json`, for comparing runs. */
export function writeResults(measured: readonly MeasuredRow[], quick: boolean): void {
  const folder = new URL('../results/', import.meta.url);
  const results = {
    at: new Date().toISOString(),
    quick,
    node: process.version,
    machine: cpus()[0]?.model,
    rows: measured.map(({ row, cells }) => ({
      id: row.id,
      unit: row.unit,
      contestants: Object.fromEntries(
        [...cells].map(([id, cell]) => [
          id,
          cell.kind === 'measured'
            ? {
                median: median(cell.readings.map(({ value }) => value)),
                sigilRatio: ratio(cells.get('sigil'), cell),
                readings: cell.readings,
              }
            : cell,
        ]),
      ),
      budget: row.budget.map((budget) => ({ text: budget.text, met: budget.met(cells) })),
    })),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(results, null, 2)}\n`);
}

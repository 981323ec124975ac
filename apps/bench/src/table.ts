import { contestants } from './contestants.js';
import { median } from './median.js';
import { ratio } from './ratio.js';
import type { Cell, Cells, Row } from './row.js';

/** A row with its results. */
export interface MeasuredRow {
  readonly row: Row;
  readonly cells: Cells;
}

/** Below this share of its core the server was not what limited the round. */
const saturated = 0.85;

/** Draws the table: the values, the ratios of Sigil to the others, and whether the budget is met. */
export function drawTable(measured: readonly MeasuredRow[]): string {
  const ids = contestants.map(({ id }) => id);
  const others = ids.filter((id) => id !== 'sigil');
  const head = ['', 'unit', ...ids, ...others.map((id) => `÷${id}`), 'must reach'];
  const lines = measured.map(({ row, cells }) => [
    row.title,
    row.unit,
    ...ids.map((id) => showCell(cells.get(id))),
    ...others.map((id) => showRatio(ratio(cells.get('sigil'), cells.get(id)))),
    row.budget.map((budget) => `${budget.text} ${showVerdict(budget.met(cells))}`).join('  '),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const draw = (line: readonly string[]): string =>
    line.map((text, column) => align(text, widths[column] ?? 0, column, line.length)).join('  ');
  return [draw(head), widths.map((width) => '─'.repeat(width)).join('──'), ...lines.map(draw)].join('\n');
}

/** Lists the contestants that failed, with their errors. */
export function listFailures(measured: readonly MeasuredRow[]): string[] {
  return measured.flatMap(({ row, cells }) =>
    [...cells].flatMap(([id, cell]) =>
      cell.kind === 'failed' ? [`${row.id}, ${id}: ${brief(cell.reason)}`] : [],
    ),
  );
}

/** Lists the notes of all readings. */
export function listNotes(measured: readonly MeasuredRow[]): string[] {
  return measured.flatMap(({ row, cells }) =>
    [...cells].flatMap(([id, cell]) =>
      cell.kind === 'measured'
        ? cell.readings.flatMap(({ note }) => (note === undefined ? [] : [`${row.id}, ${id}: ${note}`]))
        : [],
    ),
  );
}

/** What a server printed before it ended, without the stack. */
function brief(reason: string): string {
  const lines = reason.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.slice(0, 6).join('\n  ');
}

/** Text columns at both ends read from the left, numbers from the right. */
function align(text: string, width: number, column: number, columns: number): string {
  return column < 2 || column === columns - 1 ? text.padEnd(width) : text.padStart(width);
}

function showCell(cell: Cell | undefined): string {
  if (cell === undefined) return '–';
  if (cell.kind === 'absent') return 'n/a';
  if (cell.kind === 'failed') return 'FAILED';
  const value = median(cell.readings.map((reading) => reading.value));
  const shares = cell.readings.flatMap(({ cpuShare }) => (cpuShare === undefined ? [] : [cpuShare]));
  const idle = shares.length > 0 && median(shares) < saturated;
  return `${value < 100 ? value.toFixed(1) : Math.round(value)}${idle ? '*' : ''}`;
}

function showRatio(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

function showVerdict(met: boolean | undefined): string {
  if (met === undefined) return '?';
  return met ? '✓' : '✗';
}

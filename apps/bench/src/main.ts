import { parseArgs } from 'node:util';
import { type Contestant, sigil } from './contestants.js';
import { divideCores } from './cores.js';
import { makePlan } from './plan.js';
import { writeResults } from './results.js';
import type { Row } from './row.js';
import { rows } from './rows/index.js';
import { drawTable, listFailures, listNotes, type MeasuredRow } from './table.js';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const wanted = values.only?.split(',');
const unknown = wanted?.filter((id) => !rows.some((row) => row.id === id)) ?? [];
if (unknown.length > 0) {
  throw new Error(`no row ${unknown.join(', ')}; there are ${rows.map(({ id }) => id).join(', ')}`);
}

/** Everyone of the row, or only those its budget names. */
function chosen(row: Row): readonly Contestant[] {
  if (!plan.budgetedOnly) return row.contestants;
  const named = row.budget.map(({ against }) => against);
  return row.contestants.filter(({ id }) => id === sigil.id || named.includes(id));
}

const began = performance.now();
const plan = makePlan(values.quick, divideCores());
const measured: MeasuredRow[] = [];
for (const row of rows.filter(({ id }) => wanted?.includes(id) ?? true)) {
  process.stderr.write(`${Math.round((performance.now() - began) / 1000)} s: ${row.title}\n`);
  measured.push({ row, cells: await row.measure(plan, chosen(row)) });
}

const seconds = Math.round((performance.now() - began) / 1000);
const pinning =
  plan.cores.server === undefined ? 'not pinned' : `servers pinned to core ${plan.cores.server}`;
process.stdout.write(`\n${drawTable(measured)}\n\n`);
process.stdout.write(
  [
    `Node ${process.version}, ${pinning}, ${seconds} s. Medians of interleaved rounds.`,
    '÷ is the value of sigil divided by the value of the other server. For req/s, more is better; it is counted per second of server processor time. For ms and KB, less is better.',
    ...listNotes(measured),
    '* the server did not use its core fully: something else was the bottleneck.',
    ...(values.quick
      ? [
          '--quick has no time to warm up the servers of the SDKs; only the ratios of a run without --quick are valid.',
        ]
      : []),
    '',
  ].join('\n'),
);

const failures = listFailures(measured);
if (failures.length > 0) {
  process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`);
  process.exitCode = 1;
}
writeResults(measured, values.quick);

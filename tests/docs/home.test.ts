import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { httpCall } from '../../apps/bench/dist/rows/http-call.js';
import { httpList } from '../../apps/bench/dist/rows/http-list.js';
import { startBuilt } from '../../apps/bench/dist/rows/start-built.js';
import { stdioCall } from '../../apps/bench/dist/rows/stdio-call.js';
import { codeBlocks } from './code-blocks.js';
import { tableRows } from './tables.js';

const PAGE = 'docs/index.md';

test('the first page shows what its server answers in a terminal', async () => {
  await promisify(execFile)(process.execPath, ['scripts/recording.mjs', '--check']);
});

test('the first page shows a server of 12 lines', async () => {
  const [{ code = '' } = {}] = await codeBlocks(PAGE);
  expect(code.trim().split('\n').slice(1)).toHaveLength(12);
});

test('the first page claims what the bench holds the build to', async () => {
  const figures = (await tableRows(PAGE, 'Against the official SDK')).map(([, figure = '']) => figure);
  const held = [httpCall, stdioCall, httpList, startBuilt].map(
    ({ budget = [] }) => budget.find(({ against }) => against === 'sdk v2')?.text,
  );
  const asBudget = (figure: string): string | undefined =>
    /^at (least|most) ([\d.]+)/.exec(figure)?.slice(1).join(' ').replace('least ', '≥').replace('most ', '≤');
  expect(figures.map((figure) => `${asBudget(figure)} sdk v2`)).toEqual(held);
});

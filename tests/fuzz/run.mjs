// npm run fuzz -- [--seed <text>] [--messages <count>] [--only <transport>,<era>] [--most-delay <ms>] [--json]
// --plant <fault> gives the server a fault to be found.
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cases } from './cases.mjs';
import { fuzzLines } from './lines.mjs';
import { fuzzPosts } from './posts.mjs';
import { judge, print } from './report.mjs';
import { ServerProcess } from './server-process.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now()) },
    messages: { type: 'string', default: '200000' },
    only: { type: 'string', default: '' },
    'hang-ms': { type: 'string', default: '5000' },
    'most-delay': { type: 'string', default: '50' },
    'most-growth-mib': { type: 'string', default: '16' },
    plant: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const KEEP_MS = 1_000;
const count = Number(values.messages);
const hangMs = Number(values['hang-ms']);
const limits = {
  delay: Number(values['most-delay']),
  growth: Number(values['most-growth-mib']) * 1024 * 1024,
};
const wanted = values.only === '' ? [] : values.only.split(',');

const reports = {};
if (!values.json) console.log(`seed ${values.seed}, ${count} messages a transport and era`);
for (const transport of ['memory', 'stdio', 'http']) {
  for (const era of ['legacy', 'modern']) {
    const name = `${transport}, ${era}`;
    if (wanted.every((part) => part === transport || part === era))
      reports[name] = await fuzz(transport, era);
    if (reports[name] && !values.json) print(name, reports[name]);
  }
}
if (values.json) console.log(JSON.stringify({ seed: values.seed, reports }));
process.exitCode = Object.values(reports).some(({ failures }) => failures.length > 0) ? 1 : 0;

async function fuzz(transport, era) {
  const server = await ServerProcess.start(transport, KEEP_MS, values.plant);
  const cases = new Cases(era, `${values.seed} ${transport} ${era}`);
  const measured = {};
  const atWarm = async () => (measured.warm = await server.vitals());
  const run = transport === 'http' ? fuzzPosts : fuzzLines;
  const outcome = await run(server, { cases, count, hangMs, atWarm, isMemory: transport === 'memory' });
  // What clients left behind has a time of its own to go.
  await sleep(KEEP_MS);
  const end = await server.vitals();
  const report = judge({ server, outcome, warm: measured.warm, end, limits });
  await server.end();
  return report;
}

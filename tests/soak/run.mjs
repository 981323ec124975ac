// npm run soak -- [--seconds <count>] [--seed <text>] [--most-growth <percent>] [--most-delay <ms>] [--json]
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.mjs';
import { judge, print } from '../fuzz/report.mjs';
import { ServerProcess } from '../fuzz/server-process.mjs';
import { HTTP_ACTORS, STDIO_ACTORS } from './actors.mjs';
import { HttpClient } from './http-client.mjs';
import { StdioClient } from './stdio-client.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now()) },
    'hang-ms': { type: 'string', default: '5000' },
    'most-growth': { type: 'string', default: '5' },
    'most-delay': { type: 'string', default: '50' },
    /** A fault that the servers are to have, to be found. */
    plant: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
/** Of the time, what goes before the heap is measured that the one at the end is held against. */
const WARM_UP = 0.4;
const WIDTH = 12;
const MOST_HANGS = 20;
const ms = Number(values.seconds) * 1000;
const hangMs = Number(values['hang-ms']);
/** How long servers keep what clients leave behind: sessions, tasks, states, events. */
const keepMs = Math.min(2_000, ms / 8);

if (!values.json) console.log(`seed ${values.seed}, ${values.seconds} s`);
const reports = Object.fromEntries(
  await Promise.all([
    soak('http', HTTP_ACTORS, ({ address }, random) => HttpClient.to(address, random, hangMs)),
    soak('stdio', STDIO_ACTORS, ({ child }, random) => StdioClient.to(child, random, hangMs)),
  ]),
);
if (values.json) console.log(JSON.stringify({ seed: values.seed, reports }));
else for (const [name, report] of Object.entries(reports)) print(name, report);
process.exitCode = Object.values(reports).some(({ failures }) => failures.length > 0) ? 1 : 0;

async function soak(transport, actors, connect) {
  const random = new Random(`${values.seed} ${transport}`);
  const server = await ServerProcess.start(transport, keepMs, values.plant);
  const client = await connect(server, random);
  const outcome = { answered: 0, hangs: [], faults: [] };
  await act(ms * WARM_UP);
  const warm = await rest();
  await act(ms * (1 - WARM_UP));
  const end = await rest();
  const limits = {
    growth: (warm?.heap ?? 0) * (Number(values['most-growth']) / 100),
    delay: Number(values['most-delay']),
  };
  const report = judge({ server, outcome, warm, end, limits });
  client.end();
  await server.end();
  return [transport, report];

  /** Has clients at work for a while. */
  async function act(duration) {
    const until = Date.now() + duration;
    const work = async () => {
      while (Date.now() < until && !server.exit && outcome.hangs.length < MOST_HANGS) {
        try {
          await random.pick(actors)(client, random);
          outcome.answered += 1;
        } catch (error) {
          if (!server.exit) note(error.message);
        }
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, work));
  }

  function note(text) {
    if (text.startsWith('no answer')) outcome.hangs.push({ why: 'no answer', text });
    else outcome.faults.push(text);
  }

  /** Waits until the server has forgotten what clients left behind. @returns how it fares. */
  async function rest() {
    client.rest();
    await sleep(keepMs * 2 + 500);
    return server.vitals();
  }
}

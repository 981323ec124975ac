import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { atMostValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { type HostileInput, hostileInputs, oversizedInput } from '../hostile-inputs.js';
import { interleave } from '../interleave.js';
import { median } from '../median.js';
import { type HttpMessage, rawCallMessage } from '../messages.js';
import type { Plan } from '../plan.js';
import { freePort, ServerProcess } from '../process.js';
import { heapProbeArgs, readHeap } from '../read-heap.js';
import type { Reading, Row } from '../row.js';

const budgetMs = 50;
/** How often each is sent; what else the machine does must not decide. */
const attempts = 5;
/** An answer that repeats what was sent helps its sender. */
const longestAnswer = 64 * 1024;
/** How much of the heap may stay behind. */
const toleratedGrowth = 1.1;

/** How long the slowest hostile request keeps a server busy. */
export const hostileInput: Row = {
  id: 'hostile-input',
  title: 'slowest answer to hostile input',
  unit: 'ms',
  budget: [atMostValue(budgetMs, 'ms')],
  contestants: [sigil],
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: 1,
      script: () => 'server-hostile.js',
      open: (_, script) => ({
        round: () => measureAll(plan, script),
      }),
    }),
};

async function measureAll(plan: Plan, script: string): Promise<Reading> {
  const raised = await measure(plan, script, { MAX_BODY_BYTES: String(32 * 1024 * 1024) }, hostileInputs());
  const refused = await measure(plan, script, {}, [oversizedInput()]);
  const all = [...raised, ...refused].sort((one, other) => other.ms - one.ms);
  return {
    value: all[0]?.ms ?? 0,
    note: all.map(({ name, ms }) => `${name} ${ms.toFixed(1)}`).join(', '),
  };
}

interface Timing {
  readonly name: string;
  readonly ms: number;
}

async function measure(
  { cores }: Plan,
  script: string,
  env: Readonly<Record<string, string>>,
  inputs: readonly HostileInput[],
): Promise<Timing[]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = new ServerProcess({
    script,
    args: ['--http', '--port', String(port)],
    env,
    nodeArgs: heapProbeArgs,
    cores: cores.server,
    ipc: true,
  });
  try {
    await server.listening(port);
    // What is compiled at the first failure stays.
    for (const input of inputs) await timeOf(url, input);
    const before = (await readHeap(server)).heap;
    const timings: Timing[] = [];
    for (const input of inputs) {
      const times: number[] = [];
      while (times.length < attempts) times.push(await timeOf(url, input));
      timings.push({ name: input.name, ms: median(times) });
    }
    await expectUnpolluted(url);
    const after = (await readHeap(server)).heap;
    if (after > before * toleratedGrowth) throw new Error(`the heap grew from ${before} to ${after} bytes`);
    return timings;
  } finally {
    await server.stop();
  }
}

async function timeOf(url: string, { name, message, isLegal = false }: HostileInput): Promise<number> {
  const { body, ms } = await post(url, message);
  const answer = JSON.parse(body) as { error?: unknown; result?: { isError?: unknown } };
  const isError = answer.error !== undefined || answer.result?.isError === true;
  if (isError === isLegal) {
    throw new Error(`${name} is ${isError ? 'an error' : 'no error'}: ${body.slice(0, 200)}`);
  }
  if (body.length > longestAnswer) throw new Error(`${name} is answered by ${body.length} characters`);
  return ms;
}

async function expectUnpolluted(url: string): Promise<void> {
  const { body } = await post(url, rawCallMessage('polluted', '{}'));
  if (!body.includes('"text":"false"')) throw new Error(`the prototype of all objects is polluted: ${body}`);
}

interface Answered {
  readonly body: string;
  /** From when the request was sent, to the last byte of the answer. */
  readonly ms: number;
}

function post(url: string, { headers, body }: HttpMessage): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', headers: { ...length, ...headers } });
    let begin = performance.now();
    sent.on('finish', () => (begin = performance.now()));
    sent.on('error', reject);
    sent.on('response', (response) => {
      text(response).then((answer) => resolve({ body: answer, ms: performance.now() - begin }), reject);
    });
    // Of a body that is announced to be longer, the rest never comes.
    if ('Content-Length' in headers) sent.write(body);
    else sent.end(body);
  });
}

// What clients do all day, and how they go: each does one thing from its beginning to its end.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, envelope, initializeParams } from '../fuzz/grammar.mjs';

const call = (name, args = {}) => ['tools/call', { name, arguments: args }];

/** Sends a modern request and goes on as long as the server wants more. @returns the last result. */
async function rounds(client, random, method, params, { leavesAfter = Infinity } = {}) {
  let more = {};
  for (let round = 0; round < 5; round += 1) {
    const { result } = await client.request(method, { ...params, ...more, _meta: envelope() });
    if (!result?.inputRequests || round >= leavesAfter) return result;
    const asked = Object.entries(result.inputRequests);
    const answers = asked.map(([key, question]) => [key, answerTo(question.method, random)]);
    more = { requestState: result.requestState, inputResponses: Object.fromEntries(answers) };
  }
  return undefined;
}

async function task(client, random, name, isAbandoned) {
  const [method, params] = call(name);
  const { result } = await client.request(method, { ...params, _meta: envelope(true) });
  if (typeof result?.taskId !== 'string') throw new Error(`${name} did not become a task`);
  if (isAbandoned) return;
  const { taskId } = result;
  for (let look = 0; look < 100; look += 1) {
    const { result: seen } = await client.request('tasks/get', { taskId, _meta: envelope(true) });
    if (seen === undefined || !['working', 'input_required'].includes(seen.status)) return;
    if (seen.status === 'input_required') {
      const asked = Object.entries(seen.inputRequests ?? {});
      const answers = asked.map(([key, question]) => [key, answerTo(question.method, random)]);
      const inputResponses = Object.fromEntries(answers);
      await client.request('tasks/update', { taskId, inputResponses, _meta: envelope(true) });
    }
    await sleep(20);
  }
  await client.request('tasks/cancel', { taskId, _meta: envelope(true) });
}

const modern = (method, params) => async (client) => {
  const { result, error } = await client.request(method, { ...params, _meta: envelope() });
  if (result === undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
};

/** What either transport carries, in 2026-07-28. */
const MODERN = [
  modern(...call('echo', { text: 'Grüße' })),
  modern(...call('progress')),
  modern(...call('slow')),
  modern(...call('large')),
  modern(...call('fail')),
  modern('tools/list', {}),
  modern('resources/read', { uri: 'fuzz://items/7' }),
  modern('prompts/get', { name: 'greet', arguments: { name: 'Ada' } }),
  (client, random) => rounds(client, random, ...call('askTwice')),
  (client, random) => rounds(client, random, ...call('round')),
  (client, random) => rounds(client, random, ...call('askTwice'), { leavesAfter: 1 }),
  (client, random) => task(client, random, 'task', false),
  (client, random) => task(client, random, 'askingTask', false),
  (client, random) => task(client, random, 'task', true),
  (client, random) => task(client, random, 'failingTask', random.chance(0.5)),
  (client) => client.giveUp(...call('slow'), { _meta: envelope() }),
  (client) => client.giveUp(...call('deaf'), { _meta: envelope() }),
  (client, random) => {
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['fuzz://clock', 'fuzz://fixed'] };
    return client.listen({ notifications, _meta: envelope() }, random.whole(20, 150));
  },
];

/** What either transport carries on a session, as a client of 2025-11-25. */
const LEGACY = [
  (client) => client.request(...call('echo', { text: 'Grüße' })),
  (client) => client.request(...call('progress')),
  (client) => client.request(...call('ask')),
  (client) => client.request(...call('round')),
  (client) => client.request('resources/subscribe', { uri: 'fuzz://clock' }),
  (client) => client.request('logging/setLevel', { level: 'debug' }),
  (client) => client.request('prompts/list', {}),
  (client) => client.giveUp(...call('slow')),
  (client) => client.giveUp(...call('deaf')),
  (client) => client.giveUp(...call('ask')),
];

/** A session over HTTP: some calls, a stream, and an end that not every client announces. */
async function session(client, random) {
  const opened = await client.open(initializeParams());
  const stream = random.chance(0.5) ? opened.stream() : undefined;
  for (let step = random.whole(1, 5); step > 0; step -= 1) await random.pick(LEGACY)(opened, random);
  if (stream && random.chance(0.5)) await sleep(random.whole(0, 100));
  stream?.();
  if (random.chance(0.5)) await opened.close();
}

/** Sends half of a body, and hangs up. */
async function half(client, random) {
  const socket = connect(client.port, '127.0.0.1').on('error', () => undefined);
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${client.port}\r\nContent-Type: application/json\r\n`;
  socket.write(
    `${head}Content-Length: 100000\r\n\r\n{"jsonrpc":"2.0",${' '.repeat(random.whole(0, 50_000))}`,
  );
  await sleep(random.whole(1, 30));
  socket.destroy();
}

export const HTTP_ACTORS = [...MODERN, session, session, session, half];
/** Both eras on one connection: legacy requests need the handshake that opened it. */
export const STDIO_ACTORS = [
  ...MODERN,
  ...LEGACY.map((act) => (client, random) => act(client.legacy, random)),
];

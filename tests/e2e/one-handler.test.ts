import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { post } from './modern-http.js';
import { endProcesses, ServerProcess } from './processes.js';

type Json = Record<string, unknown>;

const CHECKOUT = fileURLToPath(new URL('fixtures/checkout.mjs', import.meta.url));
const STATE_KEY = 'shared by every process of the shop, and secret';
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const SOLD = 'receipt of Ada: round and blue, to Paris';
const CALL = { name: 'checkout', arguments: { item: 'teapot' } };

let folder = '';
let ledger = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-'));
  ledger = join(folder, 'ledger.txt');
});

afterEach(() => rm(folder, { recursive: true }));
afterAll(endProcesses);

/** What user and model answer, whoever asks. */
function answer({ method, params }: { method: string; params?: unknown }): Json {
  if (method === 'sampling/createMessage') {
    return { role: 'assistant', model: 'a-model', content: { type: 'text', text: 'round and blue' } };
  }
  const { message } = params as { message: string };
  const content = message.startsWith('Who') ? { name: 'Ada' } : { city: 'Paris' };
  return { action: 'accept', content };
}

function answersTo(requests: unknown): Json {
  const entries = Object.entries(requests as Record<string, { method: string }>);
  return Object.fromEntries(entries.map(([key, request]) => [key, answer(request)]));
}

async function shop(): Promise<string> {
  const server = new ServerProcess(CHECKOUT, ['--http'], { LEDGER: ledger, STATE_KEY });
  return String((await server.event('ready'))['address']);
}

async function buyWithOfficialClient(
  mode: 'legacy' | { pin: string },
  over: 'stdio' | 'HTTP',
): Promise<unknown> {
  const client = new Client(
    { name: 'buyer', version: '0' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', (request) => answer(request) as { action: 'accept' });
  client.setRequestHandler('sampling/createMessage', (request) => answer(request) as never);
  const env = { ...process.env, LEDGER: ledger } as Record<string, string>;
  const transport =
    over === 'stdio'
      ? new StdioClientTransport({ command: process.execPath, args: [CHECKOUT], env, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(await shop()));
  await client.connect(transport);
  try {
    return textOf((await client.callTool(CALL)) as Json);
  } finally {
    await client.close();
  }
}

function textOf({ content }: Json): unknown {
  return (content as { text?: string }[])[0]?.text;
}

const charges = async (): Promise<string> => readFile(ledger, 'utf8');

test.each([
  ['a session over stdio', 'legacy', 'stdio'],
  ['a session over HTTP', 'legacy', 'HTTP'],
  ['rounds over stdio', { pin: '2026-07-28' }, 'stdio'],
  ['rounds over HTTP', { pin: '2026-07-28' }, 'HTTP'],
] as const)('one handler sells once in %s [checklist 44]', async (_name, mode, over) => {
  expect(await buyWithOfficialClient(mode, over)).toBe(SOLD);
  expect(await charges()).toBe('Ada pays for the teapot\n');
});

test('one handler sells once when every round reaches another process', async () => {
  const shops = await Promise.all([shop(), shop(), shop(), shop()]);
  let input: Json = {};
  const kinds: unknown[] = [];
  for (const address of shops) {
    const result = await post(address, 'tools/call', { ...CALL, ...input }, CAPABILITIES);
    kinds.push(result['resultType']);
    if (result['resultType'] === 'complete') expect(textOf(result)).toBe(SOLD);
    input = {
      requestState: result['requestState'],
      inputResponses: answersTo(result['inputRequests'] ?? {}),
    };
  }
  expect(kinds).toEqual(['input_required', 'input_required', 'input_required', 'complete']);
  expect(await charges()).toBe('Ada pays for the teapot\n');
});

test('one handler sells once as a task', async () => {
  const address = await shop();
  const capabilities = { ...CAPABILITIES, ...TASKS };
  const { resultType, taskId } = await post(address, 'tools/call', CALL, capabilities);
  expect(resultType).toBe('task');
  for (let looks = 0; looks < 200; looks += 1) {
    const task = await post(address, 'tasks/get', { taskId }, capabilities);
    if (task['status'] === 'completed') {
      expect(textOf(task['result'] as Json)).toBe(SOLD);
      break;
    }
    if (task['status'] === 'input_required') {
      const inputResponses = answersTo(task['inputRequests']);
      await post(address, 'tasks/update', { taskId, inputResponses }, capabilities);
    } else await new Promise((resolve) => setTimeout(resolve, 20));
    if (looks === 199) throw new Error(`The task does not end: ${JSON.stringify(task)}`);
  }
  expect(await charges()).toBe('Ada pays for the teapot\n');
});

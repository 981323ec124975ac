import { expect } from '@jest/globals';
import type { ContractClient, Era, Message } from '../contract/client.js';
import type { Running } from './programs.js';

const ERAS: readonly Era[] = ['legacy', 'modern'];

/** What every build of the story must do, in both eras. */
export async function checkStory(running: Running): Promise<void> {
  for (const era of ERAS) {
    const client = await running.connect(era);
    await checkSchemas(client);
    await checkOrders(client);
    await checkSums(client);
    await checkQuestion(client, era);
    await checkOthers(client);
    await client.close();
  }
  if (running.address !== undefined) await checkOrigin(running.address);
}

/** What every build of a program that adds must do, in both eras. */
export async function checkAdding(running: Running): Promise<void> {
  for (const era of ERAS) {
    const client = await running.connect(era);
    await checkSums(client);
    await client.close();
  }
}

function call(client: ContractClient, name: string, args: object = {}, more: object = {}) {
  return client.start('tools/call', { name, arguments: args, ...more });
}

function textOf(message: Message | undefined): unknown {
  return (message?.result?.['content'] as { text?: unknown }[] | undefined)?.[0]?.text;
}

async function checkSchemas(client: ContractClient): Promise<void> {
  const listed = await client.start('tools/list').response;
  const tools = listed?.result?.['tools'] as { name: string; inputSchema: object; outputSchema?: object }[];
  expect(tools.map(({ name }) => name).sort()).toEqual(['add', 'greet', 'order']);
  const order = tools.find(({ name }) => name === 'order');
  expect(Object.keys((order?.inputSchema as { properties: object }).properties).sort()).toEqual([
    'customer',
    'lines',
    'mail',
  ]);
  expect(JSON.stringify(order?.inputSchema)).toContain('"minimum":1');
  expect(JSON.stringify(order?.outputSchema)).not.toContain('secret');
}

async function checkOrders(client: ContractClient): Promise<void> {
  const lines = [
    { sku: 'tea', pieces: 2 },
    { sku: 'jam', pieces: 1 },
  ];
  const { early, response } = call(client, 'order', { customer: ' Ada ', mail: 'ada@example.com', lines });
  expect((await response)?.result?.['structuredContent']).toEqual({ customer: 'Ada (guest)', cents: 750 });
  expect(early.map(({ params }) => params?.['progress'])).toEqual([1]);
  const raised = await call(client, 'order', { customer: 'Ada', role: 'admin', lines }).response;
  expect(raised?.result?.['isError']).toBe(true);
  expect(textOf(raised)).toContain('role: unknown property');
  const none = await call(client, 'order', { customer: 'Ada', lines: [{ sku: 'tea', pieces: 0 }] }).response;
  expect(textOf(none)).toMatch(/pieces/);
}

async function checkSums(client: ContractClient): Promise<void> {
  expect(textOf(await call(client, 'add', { a: 1, b: 2 }).response)).toBe('3');
  const refused = await call(client, 'add', { a: 1, b: -2 }).response;
  expect([refused?.result?.['isError'], textOf(refused)]).toEqual([true, expect.stringMatching(/b/)]);
}

async function checkQuestion(client: ContractClient, era: Era): Promise<void> {
  const first = await call(client, 'greet').response;
  if (era === 'legacy') return expect(textOf(first)).toBe('Hello, Ada');
  const { inputRequests, requestState } = first?.result as {
    inputRequests: Record<string, unknown>;
    requestState: string;
  };
  const answer = { action: 'accept', content: { name: 'Ada' } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
  const again = call(client, 'greet', {}, { inputResponses, requestState });
  expect(textOf(await again.response)).toBe('Hello, Ada');
}

async function checkOthers(client: ContractClient): Promise<void> {
  const read = await client.start('resources/read', { uri: 'shop://tea' }).response;
  expect(read?.result?.['contents']).toMatchObject([{ uri: 'shop://tea', text: '{"sku":"tea"}' }]);
  const prompt = await client.start('prompts/get', { name: 'recommend', arguments: { taste: 'sweet' } })
    .response;
  expect(prompt?.result?.['messages']).toMatchObject([{ content: { text: 'Recommend something sweet' } }]);
  expect((await call(client, 'nothing').response)?.error?.code).toBe(-32602);
  expect((await client.start('nothing/here').response)?.error?.code).toBe(-32601);
}

async function checkOrigin(address: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Origin: 'https://evil.example' };
  const refused = await fetch(address, { method: 'POST', headers, body: '{}' });
  expect(refused.status).toBe(403);
  await refused.text();
}

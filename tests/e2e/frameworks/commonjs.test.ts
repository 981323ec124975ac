import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { Calls } from '../calls.js';
import { v1, v2Auto } from '../clients.js';
import { LambdaService } from './lambda-service.js';
import { startProgram } from './program.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const fileOf = (name: string): string => fileURLToPath(new URL(`./commonjs/${name}.cjs`, import.meta.url));

/** Has official clients of both eras call the tool. */
async function expectGreetings(address: string): Promise<void> {
  for (const kind of [v1('2025-11-25'), v2Auto]) {
    const { client } = await kind.connect({ address });
    closing.push(() => client.close());
    const calls = new Calls(client);
    expect(await calls.text('greet', { name: 'Ada' })).toBe('Hello Ada, true');
    expect(await calls.tool('greet', { name: '' })).toMatchObject({ isError: true });
  }
}

// A worker is a module of its platform; what its bundler makes of CommonJS is no matter of ours.
test.each(['express', 'fastify', 'hono', 'next', 'nest'])(
  'a program of CommonJS serves by require() of @sigil/%s',
  async (name) => {
    const program = startProgram(process.execPath, [fileOf(name)]);
    closing.push(() => program.kill());
    await expectGreetings(await program.line('http://'));
  },
);

test('a function of CommonJS serves by require() of @sigil/lambda', async () => {
  const service = await new LambdaService({ module: fileOf('lambda'), env: {}, timeoutMs: 30_000 }).start();
  closing.push(() => service.stop());
  await expectGreetings(`${service.origin}/api/mcp`);
});

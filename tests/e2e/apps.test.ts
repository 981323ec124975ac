import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Calls } from './calls.js';
import { type Kind, type Official, v1, v2Auto, v2Legacy } from './clients.js';
import { EVERYTHING, endProcesses, freePort, INVENTORY, ServerProcess, until } from './processes.js';

const KINDS: readonly Kind[] = [v1('2024-11-05'), v1('2025-11-25'), v2Legacy('2025-06-18'), v2Auto];
/** Tools that ask the client, need a principal, or take arguments are for tests of their own. */
const CALLABLE = [
  'test_simple_text',
  'test_image_content',
  'test_audio_content',
  'test_multiple_content_types',
];

afterAll(endProcesses);

/** Starts an app over HTTP the way its README says, and waits until it answers. */
async function startApp(script: string): Promise<string> {
  const port = await freePort();
  const server = new ServerProcess(script, ['--http', '--port', String(port)]);
  const address = `http://127.0.0.1:${port}/mcp`;
  server.child.once('exit', () => undefined);
  await until(() =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
  return address;
}

describe.each([
  ['stdio', (script: string) => Promise.resolve({ script })],
  ['HTTP', async (script: string) => ({ address: await startApp(script) })],
] as const)('the apps over %s', (_where, placeOf) => {
  describe.each(KINDS.map((kind) => [kind.name, kind] as const))('with %s', (_name, kind) => {
    const opened: Official[] = [];
    let inventory: Calls;
    let everything: Calls;

    beforeAll(async () => {
      const open = async (script: string): Promise<Calls> => {
        const official = await kind.connect(await placeOf(script));
        opened.push(official);
        return new Calls(official.client);
      };
      inventory = await open(INVENTORY);
      everything = await open(EVERYTHING);
    }, 20_000);

    afterAll(() => Promise.all(opened.map(({ client }) => client.close())));

    test('inventory lists what it has', async () => {
      const { tools, resourceTemplates, prompts } = await inventory.names();
      expect(tools).toContain('check_inventory');
      expect(resourceTemplates).not.toHaveLength(0);
      expect(prompts).not.toHaveLength(0);
    });

    test('inventory tells the stock of a product', async () => {
      const { text, isError } = await inventory.tool('check_inventory', { sku: 'TNT-1002' });
      expect(isError).toBe(false);
      expect(JSON.parse(String(text))).toMatchObject({ sku: 'TNT-1002', quantity: expect.any(Number) });
    });

    test('inventory says what is wrong with arguments, by a result [checklist 30]', async () => {
      expect(await inventory.tool('check_inventory', { sku: '' })).toMatchObject({ isError: true });
      expect(await inventory.tool('check_inventory', {})).toMatchObject({ isError: true });
    });

    test('everything lists what it has', async () => {
      const { tools, resources, resourceTemplates, prompts } = await everything.names();
      for (const name of CALLABLE) expect(tools).toContain(name);
      expect([resources, resourceTemplates, prompts].every((names) => (names?.length ?? 0) > 0)).toBe(true);
    });

    test.each(CALLABLE)('everything answers %s', async (name) => {
      expect(await everything.tool(name)).toMatchObject({ isError: false });
    });

    test('everything reads its resources and gets its prompts', async () => {
      expect(await everything.read('test://static-text')).toEqual(expect.any(String));
      expect(await everything.read('test://template/7/data')).toContain('7');
      expect(await everything.prompt('test_simple_prompt', {})).toEqual(expect.any(String));
    });
  });
});

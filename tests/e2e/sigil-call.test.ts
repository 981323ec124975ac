import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { endProcesses, EVERYTHING, freePort, INVENTORY, ServerProcess, until } from './processes.js';
import { official, sigil, sigilWith } from './sigil-command.js';

// Each starts a program or two, and the machine may be busy.
jest.setTimeout(60_000);

const BIN = new URL('../../node_modules/.bin/sigil', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'sigil-call-'));
afterAll(async () => {
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

let url = '';
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  new ServerProcess(EVERYTHING, ['--http', '--port', String(port)]);
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
});

/** Both ways in which servers ask: inside of results, and by requests of their own. */
const REVISIONS = ['2026-07-28', '2025-11-25'];
const main = ['--main', EVERYTHING];

/** What a run of the command has written in JSON. */
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('sigil list', () => {
  test('shows tools with their arguments, resources, templates and prompts', async () => {
    const { code, stdout, stderr } = await sigil('list', INVENTORY);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^inventory 1\.0\.0\n\n4 tools\n {2}check_inventory {2}Real-time quantity/);
    expect(stdout).toMatch(/^ {6}quantity {3}integer {2}required {2}Pieces to reserve$/m);
    expect(stdout).toMatch(/^ {2}commerce:\/\/products\/\{sku\} {2}A product by SKU/m);
    expect(stdout).toMatch(/^ {6}language {2}required {2}Language to translate to$/m);
    expect(stdout).not.toContain('\u001b[');
  });

  test('shows a server of another make, by its command line and as JSON', async () => {
    const { code, stdout } = await sigil('list', '--json', '--', process.execPath, official('sdk-v2'));
    expect([code, json(stdout)]).toMatchObject([0, { tools: [{ name: 'add' }], resources: [], prompts: [] }]);
  });
});

describe('sigil call', () => {
  const file = join(folder, 'arguments.json');
  writeFileSync(file, '{"a":2,"b":40}');

  test.each([
    ['pairs', ['a=2', 'b=40']],
    ['JSON', ['{"a":2,"b":40}']],
    ['a file', [`@${file}`]],
  ])('takes arguments as %s, for a command line of another make', async (_, given) => {
    const { code, stdout } = await sigil('call', 'add', ...given, '--', process.execPath, official('sdk-v1'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('42')]);
  });

  test('takes arguments from standard input, and gives the result as it came', async () => {
    const command = new ServerProcess(BIN, ['call', 'greet', '-', '--json', ...main]);
    command.child.stdin.end('{"name":"Ada"}');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(json(command.stdout)).toMatchObject({ content: [{ type: 'text', text: 'Hello, Ada!' }] });
  });

  test('shows structured content once, as JSON', async () => {
    const { stdout } = await sigil('call', 'check_inventory', 'sku=TNT-1002', '--main', INVENTORY);
    expect(json(stdout)).toMatchObject({ sku: 'TNT-1002', quantity: expect.any(Number) });
  });

  test('refuses numbers that JavaScript does not hold, and names those that it rounds', async () => {
    const server = join(folder, 'numbers.mjs');
    writeFileSync(
      server,
      `import { createInterface } from 'node:readline';
const results = {
  'server/discover': '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}',
  'tools/list': '{"tools":[{"name":"nums","inputSchema":{"type":"object","properties":{"i":{"type":"integer"}}}}]}',
  'tools/call': '{"content":[],"structuredContent":{"i":9007199254740993}}',
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + results[method] + '}');
}`,
    );
    const called = await sigil('call', 'nums', 'i=1', '--json', '--', process.execPath, server);
    expect([called.code, called.stderr]).toEqual([
      0,
      '1 number is rounded here: the server sent 9007199254740993.\n',
    ]);
    const refused = await sigil('call', 'nums', 'i=9007199254740993', '--', process.execPath, server);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('i: 9007199254740993 cannot be an exact JavaScript number');
  });

  test('exits with 1 for isError, and shows what the schema wants', async () => {
    const { code, stdout, stderr } = await sigil('call', 'check_inventory', '--main', INVENTORY);
    expect([code, stdout]).toEqual([1, 'sku: required, expected a string; received nothing\n']);
    expect(stderr).toMatch(/^check_inventory takes\n {2}sku +string {2}required {2}Stock keeping unit/);
    const failed = await sigil('call', 'test_error_handling', ...main);
    expect([failed.code, failed.stderr]).toEqual([1, '']);
  });

  test('exits with 2 for arguments that it cannot read, and with 1 for a tool that is not there', async () => {
    const wrong = await sigil('call', 'reserve_stock', 'sku=x', 'quantity=two', '--main', INVENTORY);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^reserve_stock takes\n(?: .*\n)+sigil: quantity must be a whole number, not 'two'/,
      ),
    ]);
    expect((await sigil('call', 'reserve_stock', 'x', '--main', INVENTORY)).stderr).toContain(
      "'x' is not an argument: write name=value",
    );
    expect(await sigil('call', 'reserve', '--main', INVENTORY)).toMatchObject({
      code: 1,
      stderr:
        "sigil: there is no tool 'reserve': there are check_inventory, reserve_stock, order_status, return_items\n",
    });
  });

  test('shows progress and the log while it waits, except with --json', async () => {
    const shown = await sigil('call', 'test_tool_with_progress', ...main);
    expect(shown).toMatchObject({
      stdout: 'Tool with progress executed successfully\n',
      stderr: '0 of 100  Started\n50 of 100  Half way\n100 of 100  Done\n',
    });
    expect((await sigil('call', 'test_tool_with_logging', ...main)).stderr).toContain('info');
    expect((await sigil('call', 'test_tool_with_progress', '--json', ...main)).stderr).toBe('');
  });

  test('saves images, and never over a file', async () => {
    const described = await sigil('call', 'test_image_content', ...main);
    expect(described.stdout).toMatch(/^image\/png, \d+ bytes: --out <folder> saves it\n$/);
    const out = join(folder, 'images');
    await sigil('call', 'test_image_content', '--out', out, ...main);
    const { stdout } = await sigil('call', 'test_image_content', '--out', out, ...main);
    expect(stdout).toContain(join(out, 'test_image_content-2.png'));
    expect(readdirSync(out)).toEqual(['test_image_content-1.png', 'test_image_content-2.png']);
    expect(readFileSync(join(out, 'test_image_content-1.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  test('names a folder that cannot be made, and ends', async () => {
    const { code, stderr } = await sigil('call', 'test_image_content', '--out', '/proc/none', ...main);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('nothing can be saved in /proc/none: ENOENT'),
    ]);
  });

  test.each(REVISIONS)('answers questions in order, in %s', async (revision) => {
    const given = ['--answer', '{"name":"Ada"}', '--answer', '{"color":"blue"}', '--revision', revision];
    const { code, stdout, stderr } = await sigil(
      'call',
      'test_input_required_result_multi_round',
      ...given,
      ...main,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Ada.*blue/)]);
    expect(stderr).toContain('the server asks: Step 1: What is your name?\n');
  });

  test.each(REVISIONS)('names a question that has no answer, in %s', async (revision) => {
    const { code, stdout, stderr } = await sigil(
      'call',
      'test_elicitation',
      'message=Who?',
      '--revision',
      revision,
      ...main,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      [
        'sigil: the server asks: Who?',
        "  username  string  required  User's response",
        "  email     string  required  User's email address",
        `Answer by --answer '{"username":"…","email":"…"}', or --answer decline`,
        '',
      ].join('\n'),
    );
  });

  test.each(REVISIONS)('declines, and says that it has no model, in %s', async (revision) => {
    const declined = await sigil(
      'call',
      'test_elicitation',
      'message=Who?',
      '--answer',
      'decline',
      '--revision',
      revision,
      ...main,
    );
    expect([declined.code, declined.stdout]).toEqual([0, expect.stringContaining('decline')]);
    const sampled = await sigil('call', 'test_sampling', 'prompt=Hi', '--revision', revision, ...main);
    expect([sampled.code, sampled.stderr]).toEqual([
      1,
      expect.stringContaining('asks a model (sampling/createMessage), but sigil has no model'),
    ]);
  });

  test('tells the server of folders', async () => {
    const { stdout } = await sigil('call', 'list_client_roots', '--root', folder, ...main);
    expect(stdout).toContain(`file://${folder}`);
  });

  test('says that a tool did not run as a task', async () => {
    const { code, stderr } = await sigil('call', 'test_simple_text', '--task', ...main);
    expect([code, stderr]).toEqual([0, 'the server answered without a task\n']);
  });

  test('runs a call as a task, and says that one must', async () => {
    const { code, stdout, stderr } = await sigil('call', 'slow_compute', 'seconds=1', '--task', ...main);
    expect([code, stdout]).toEqual([0, 'compute: computed for 1 seconds\n']);
    expect(stderr).toMatch(/^task \S+: working.*\ntask \S+: completed.*\n$/);
    const asking = await sigil(
      'call',
      'confirm_delete',
      'filename=a',
      '--task',
      '--answer',
      '{"confirm":true}',
      ...main,
    );
    expect([asking.code, asking.stderr]).toEqual([0, expect.stringContaining('input_required')]);
    expect((await sigil('call', 'failing_job', '--revision', '2026-07-28', ...main)).stderr).toBe(
      'sigil: failing_job only runs as a task: use --task\n',
    );
  });

  test.each(REVISIONS)('cancels at Ctrl-C, over HTTP in %s', async (revision) => {
    const command = new ServerProcess(BIN, [
      'call',
      'wait_until_cancelled',
      `label=${revision}`,
      '--url',
      url,
      '--revision',
      revision,
    ]);
    const state = async (): Promise<string> =>
      (await sigil('call', 'state_of_wait', `label=${revision}`, '--url', url)).stdout.trim();
    await until(async () => (await state()) === 'waiting');
    command.child.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 130, signal: null });
    await until(async () => (await state()) === 'cancelled');
  });

  test('refuses a revision that the server does not speak', async () => {
    const { code, stderr } = await sigil(
      'call',
      'add',
      'a=1',
      'b=2',
      '--revision',
      '2026-07-28',
      '--',
      process.execPath,
      official('sdk-v1'),
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the server does not support revision 2026-07-28'),
    ]);
    expect((await sigil('call', 'add', '--revision', '1999-01-01')).code).toBe(2);
  });

  test('repeats an argument in the header that its schema names', async () => {
    const { code, stdout } = await sigilWith(
      {},
      'call',
      'test_x_mcp_header',
      'region=Zürich',
      '--url',
      url,
      '--revision',
      '2026-07-28',
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('Zürich')]);
  });
});

describe('sigil read and sigil get', () => {
  test('show a resource and a prompt', async () => {
    const low = await sigil('read', 'commerce://stock/low', '--main', INVENTORY);
    expect(JSON.parse(low.stdout)).toContainEqual(expect.objectContaining({ sku: 'TNT-1010' }));
    const prompt = await sigil(
      'get',
      'product_translation',
      'sku=TNT-1002',
      'language=French',
      '--main',
      INVENTORY,
    );
    expect(prompt.stdout).toMatch(/^user:\nTranslate .* to French/);
    expect(await sigil('read', 'commerce://nothing', '--main', INVENTORY)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sigil: the server refused resources\/read: /),
    });
  });
});

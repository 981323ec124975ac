import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import type { CheckReport } from '@sigil/cli';
import { endProcesses, EVERYTHING, freePort, INVENTORY, isAlive, ServerProcess, until } from './processes.js';
import { fixture, official, sigil, SIGIL, type WrittenManifest } from './sigil-command.js';

// Each starts a program or two, and the machine may be busy.
jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'sigil-cli-'));
afterAll(async () => {
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

describe('sigil manifest', () => {
  test('writes the same manifest of an app each time', async () => {
    const [file, again] = [join(folder, 'inventory.json'), join(folder, 'again.json')];
    expect(await sigil('manifest', INVENTORY, '--out', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    await sigil('manifest', INVENTORY, '--out', again);
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(readFileSync(again, 'utf8'));
    const { format, server, tools } = JSON.parse(text) as WrittenManifest;
    expect({ format, name: server.name }).toEqual({ format: 'sigil-manifest/1', name: 'inventory' });
    expect(tools.map(({ name }) => name)).toEqual([
      'check_inventory',
      'order_status',
      'reserve_stock',
      'return_items',
    ]);
  });

  test('has what guards hide and what is added at run time', async () => {
    const { stdout } = await sigil('manifest', EVERYTHING);
    const { tools } = JSON.parse(stdout) as WrittenManifest;
    const named = (wanted: string) => tools.find(({ name }) => name === wanted);
    expect(named('reset_counts')).toMatchObject({ guarded: true });
    expect(named('failing_job')).toMatchObject({ task: 'required', hiddenFromSessions: true });
    expect(named('open_page')).toMatchObject({ guarded: false });
  });

  test('is not confused by what a program prints', async () => {
    const { code, stdout } = await sigil('manifest', fixture('chatty-server.mjs'));
    expect([code, JSON.parse(stdout).server.name]).toEqual([0, 'chatty']);
  });

  test.each(['sdk-v1', 'sdk-v2'] as const)(
    'works with servers that are not made with Sigil: %s',
    async (sdk) => {
      const { code, stdout } = await sigil('manifest', official(sdk));
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ server: { name: 'bench' }, tools: [{ name: 'add' }] });
      expect(JSON.parse(stdout).tools[0]).not.toHaveProperty('guarded');
    },
  );

  test('meets servers that are silent to what they do not know, and reads every page', async () => {
    const { code, stdout } = await sigil('manifest', fixture('older-server.mjs'));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      server: { name: 'older' },
      tools: [
        { name: 'a', description: 'a\u2028a' },
        { name: 'b', description: 'b\u2028b' },
      ],
    });
  });
});

describe('a server that is no program of Node', () => {
  test('is asked by its command line', async () => {
    const asked = await sigil('manifest', '--', process.execPath, '--no-warnings', INVENTORY, '--stdio');
    expect(asked).toEqual(await sigil('manifest', INVENTORY));
    const why = await sigil('why', 'check_inventory', '--', process.execPath, INVENTORY);
    expect(why.stdout).toContain('check_inventory is a tool');
  });

  test('is named when it cannot be started', async () => {
    const { code, stderr } = await sigil('check', '--', 'no-such-command', 'x');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^sigil: no-such-command cannot be started: .*ENOENT\n$/),
    ]);
  });

  test('has what it says when it ends shown', async () => {
    const { code, stderr } = await sigil(
      'check',
      '--',
      process.execPath,
      '-e',
      'console.error("no key\\nno hope"); process.exit(3)',
    );
    expect([code, stderr]).toEqual([
      1,
      'sigil: the program ended with exit code 3 and did not answer. It said:\nno key\nno hope\n',
    ]);
  });

  test.each([
    ['made with Sigil', INVENTORY, ['--http', '--port']],
    ['with sessions', fixture('session-server.mjs'), []],
  ])('is asked over HTTP: %s', async (_, script, args) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const refused = await sigil('check', '--url', url);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${url} does not answer`)]);
    const server = new ServerProcess(script, [...args, String(port)]);
    await until(async () => (await fetch(url).catch(() => undefined)) !== undefined);
    const { code, stdout } = await sigil('manifest', '--url', url, '--header', 'authorization: Bearer me');
    server.child.kill();
    await server.ended;
    expect([code, JSON.parse(stdout).tools.length > 0]).toEqual([0, true]);
  });

  test('is shown capabilities of clients, is answered, and has a list that it refuses found', async () => {
    const { code, stdout, stderr } = await sigil('check', fixture('refusing-server.mjs'));
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('CHECK_LIST_REFUSED  resources/templates/list  Method not found');
    expect(stdout).toMatch(/asked_for_roots_sampling_elicitation +\d+/);
    expect((await sigil('manifest', fixture('refusing-server.mjs'))).stderr).toBe(
      'sigil: the server refused resources/templates/list: Method not found\n',
    );
  });
});

describe('a server that ends for no signal and no end of its input, started by a shell', () => {
  const stubborn = (name: string) => {
    const file = join(folder, name);
    const script = `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => 0);
      setInterval(() => 0, 1000); require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));`;
    writeFileSync(`${file}.cjs`, script);
    return {
      command: ['list', '--', 'sh', '-c', `"${process.execPath}" "${file}.cjs"; true`],
      hasStarted: () => existsSync(file) && readFileSync(file, 'utf8') !== '',
      hasEnded: () => !isAlive(Number(readFileSync(file, 'utf8'))),
    };
  };

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends with sigil list at %s', async (signal) => {
    const { command, hasStarted, hasEnded } = stubborn(signal);
    const list = new ServerProcess(SIGIL, command);
    await until(hasStarted);
    list.child.kill(signal);
    expect(await list.ended).toEqual({ code: 130, signal: null });
    await until(hasEnded);
  });

  test('ends with sigil list when the time is over', async () => {
    const { command, hasEnded } = stubborn('late');
    const { code, stderr } = await sigil('list', '--timeout', '1', ...command.slice(1));
    expect([code, stderr]).toEqual([1, expect.stringContaining('did not answer within 1 s')]);
    await until(hasEnded);
  });
});

describe('lists that are wrong', () => {
  test.each([
    ['null', 'tools[0] in the answer to tools/list is not an object'],
    ['{"name":5,"inputSchema":{}}', 'the lists of the server are wrong: tools[0] has no valid "name"'],
    ['{"name":"a"}', 'the lists of the server are wrong: tools[0] (a) has no valid "inputSchema"'],
  ])('are told, with the entry: %s', async (tool, message) => {
    const script = `require('node:readline').createInterface(process.stdin).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = method === 'tools/list' ? { tools: [${tool}] } : { capabilities: { tools: {} }, protocolVersion: '2025-11-25' };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'server/discover' ? { error: { code: -32601, message: '' } } : { result }) }));
    });`;
    const { code, stderr } = await sigil('list', '--', process.execPath, '-e', script);
    expect([code, stderr]).toEqual([1, `sigil: ${message}\n`]);
  });

  test.each([
    [{}, '"server" has no "name" and "version"'],
    [{ server: { name: 'a', version: '1' }, capabilities: {}, tools: 5 }, '"tools" is not a list'],
    [
      { server: { name: 'a', version: '1' }, capabilities: {}, tools: [null] },
      'tools[0] has no valid "name"',
    ],
  ])('are told of a file: %j', async (parts, fault) => {
    const path = join(folder, 'wrong.json');
    // Editors of Windows begin a file with this mark.
    writeFileSync(path, `\uFEFF${JSON.stringify({ format: 'sigil-manifest/1', ...parts })}`);
    for (const [command, args] of [
      ['check', [path]],
      ['manifest diff', [path, path]],
    ] as const)
      expect(await sigil(...command.split(' '), ...args)).toEqual({
        code: 2,
        stdout: '',
        stderr: `sigil: ${path} is not a valid manifest: ${fault} (see sigil ${command} --help)\n`,
      });
  });
});

describe('sigil manifest diff', () => {
  const write = (name: string, manifest: object) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(manifest));
    return file;
  };
  const manifest = async () => JSON.parse((await sigil('manifest', INVENTORY)).stdout) as WrittenManifest;

  test('finds nothing between a manifest and itself', async () => {
    const file = write('same.json', await manifest());
    expect(await sigil('manifest', 'diff', file, file)).toEqual({
      code: 0,
      stdout: 'Nothing has changed\n',
      stderr: '',
    });
  });

  test('exits with 1 for what breaks clients, and with 0 for what does not', async () => {
    const [before, after] = [await manifest(), await manifest()];
    const [check, , reserve] = after.tools;
    Object.assign(check?.inputSchema.properties['sku'] ?? {}, { maxLength: 8 });
    Object.assign(reserve ?? {}, { description: 'Reserves' });
    const [old, narrower] = [write('old.json', before), write('new.json', after)];
    const there = await sigil('manifest', 'diff', old, narrower);
    expect(there).toMatchObject({ code: 1, stderr: '' });
    expect(there.stdout.split('\n')).toEqual([
      'breaking  tool check_inventory  input.sku    maxLength none → 8',
      expect.stringMatching(/^wording {3}tool reserve_stock {4}description {2}".*" → "Reserves"$/),
      '',
      '1 breaking, 0 additive, 1 wording',
      '',
    ]);
    const back = await sigil('manifest', 'diff', narrower, old, '--json');
    expect(back.code).toBe(0);
    expect(JSON.parse(back.stdout)).toMatchObject({
      counts: { breaking: 0, additive: 1, wording: 1 },
      changes: [
        { level: 'additive', where: 'tool check_inventory', path: 'input.sku' },
        { level: 'wording' },
      ],
    });
  });

  test('compares a manifest with the server as it is', async () => {
    const { tools, ...rest } = await manifest();
    const file = write('fewer.json', { ...rest, tools: tools.slice(1) });
    const { code, stdout } = await sigil('manifest', 'diff', file, INVENTORY);
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'additive  tool check_inventory    tool added']);
  });

  test('says which file is no manifest', async () => {
    const file = write('package.json', { name: 'x' });
    const { code, stderr } = await sigil('manifest', 'diff', file, join(folder, 'none.json'));
    expect([code, stderr.split('\n').length]).toEqual([2, 2]);
    expect(stderr).toMatch(/package\.json is not a manifest/);
  });
});

describe('sigil check', () => {
  test('finds nothing in the inventory, and tells what its tools cost', async () => {
    const { code, stdout } = await sigil('check', INVENTORY, '--profile', 'claude');
    expect(code).toBe(0);
    expect(stdout).toMatch(/reserve_stock +\d+\n/);
    expect(stdout).toMatch(/all tools +\d+\n/);
    expect(stdout).toMatch(/Nothing found\n$/);
  });

  test('finds what a small budget and a directory do not take', async () => {
    const { code, stdout } = await sigil(
      'check',
      INVENTORY,
      '--budget',
      '100',
      '--profile',
      'chatgpt',
      '--json',
    );
    const { findings, tokens, totalTokens } = JSON.parse(stdout) as CheckReport;
    expect(code).toBe(1);
    expect(new Set(findings.map((finding) => finding.code))).toEqual(
      new Set(['CHECK_OVER_BUDGET', 'CHECK_NO_HINT']),
    );
    expect(Object.keys(tokens)).toContain('return_items');
    expect(totalTokens).toBe(Object.values(tokens).reduce((sum, each) => sum + each, 0));
  });

  test('finds what hosts of models do not take, and tells where it was read', async () => {
    const both = await sigil('check', INVENTORY, '--for', 'openai', '--for', 'anthropic');
    expect([both.code, both.stdout.split('\n').at(-2)]).toEqual([0, 'Nothing found']);
    const { code, stdout } = await sigil('check', INVENTORY, '--for', 'gemini');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^CHECK_HOST_IGNORES +tool check_inventory +gemini ignores `minLength`: sku$/m);
    expect(stdout).toMatch(/^Sources for the limits of the hosts\n {2}https:/m);
  });

  test('checks a manifest without its server', async () => {
    const file = join(folder, 'checked.json');
    await sigil('manifest', INVENTORY, '--out', file);
    expect(await sigil('check', file)).toEqual(await sigil('check', INVENTORY));
  });

  test('checks servers that are not made with Sigil', async () => {
    const { code, stdout } = await sigil('check', official('sdk-v1'));
    expect(code).toBe(1);
    expect(stdout).toContain("CHECK_NO_ARGUMENT_DESCRIPTION  tool add  the argument 'a' has no description");
  });
});

describe('sigil why', () => {
  const why = (...args: string[]) => sigil('why', ...args, '--main', EVERYTHING);

  test('says that a name is not registered, and which is near', async () => {
    expect(await why('resetCount')).toEqual({
      code: 1,
      stdout: 'resetCount is not registered: did you mean reset_counts?\n',
      stderr: '',
    });
  });

  test('says that sessions do not see a tool', async () => {
    const { code, stdout } = await why('failing_job');
    expect(code).toBe(1);
    expect(stdout).toContain('clients that use sessions (MCP revision 2025-11-25 or older) never see it');
  });

  test('names the guard that hides a tool, for any client', async () => {
    const { code, stdout } = await why('reset_counts', '--as', 'bob');
    expect(code).toBe(1);
    expect(stdout).toContain('Hidden from bob by the guard RequiresScope\n');
    const allowed = await why('reset_counts', '--as', 'ada', '--scope', 'admin');
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain('Nothing hides it from ada\n');
  });

  test('starts the program once', async () => {
    const starts = join(folder, 'starts');
    const program = `echo start >> '${starts}'; exec '${process.execPath}' '${EVERYTHING}'`;
    expect((await sigil('why', 'random_color', '--', 'sh', '-c', program)).code).toBe(0);
    expect(readFileSync(starts, 'utf8')).toBe('start\n');
  });

  test('says that models do not see a tool for views, as sigil list does', async () => {
    const { code, stdout } = await why('random_color');
    expect([code, stdout.split('\n').at(-2)]).toEqual([0, 'It is for views only: models do not see it']);
    expect((await why('reset_counts', '--as', 'ada')).stdout).not.toContain('models');
    const listed = await sigil('list', EVERYTHING);
    expect(listed.stdout).toMatch(/^  random_color {2}.*; for views only: models do not see it$/m);
    expect(listed.stdout.match(/for views only/g)).toHaveLength(1);
  });

  test('asks guards with the claims of a principal', async () => {
    const main = ['--main', fixture('claims-server.mjs')];
    const ask = (role: string) =>
      sigil('why', 'close_ticket', ...main, '--as', 'ada', '--claims', `{"role":"${role}"}`);
    expect((await ask('agent')).stdout).toContain('Nothing hides it from ada\n');
    expect(await ask('visitor')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Hidden from ada'),
    });
  });

  test('gives it to machines', async () => {
    const { stdout } = await why('reset_counts', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ guards: ['RequiresScope'], refusedBy: 'RequiresScope' });
  });

  test('says that only programs made with Sigil can tell', async () => {
    const { code, stderr } = await sigil('why', 'add', '--main', official('sdk-v2'));
    expect([code, stderr]).toEqual([
      1,
      'sigil: the server does not use Sigil, so it does not support this command\n',
    ]);
  });
});

describe('a server that does not start', () => {
  const broken = fixture('broken-server.mjs');

  test.each([
    ['manifest', ['manifest', broken]],
    ['check', ['check', broken]],
    ['why', ['why', 'my_tool', '--main', broken]],
  ])('has its problems shown by %s', async (_, args) => {
    const { code, stdout, stderr } = await sigil(...args);
    expect([code, stdout]).toEqual([1, '']);
    const problem = (name: string) => [
      `  defineTool('${name}'): '${name}' is not a valid name`,
      '    Fix: use 1 to 128 letters, digits, underscores, dots and hyphens [SIGIL_INVALID_NAME]',
    ];
    expect(stderr.trimEnd().split('\n')).toEqual([
      'sigil: the definitions of the server are wrong',
      ...problem('my tool'),
      ...problem('your tool'),
    ]);
  });

  test('has its problems given to machines', async () => {
    const { code, stdout, stderr } = await sigil('check', broken, '--json');
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: 'the definitions of the server are wrong',
      problems: [{ code: 'SIGIL_INVALID_NAME' }, { code: 'SIGIL_INVALID_NAME' }],
    });
  });

  test('is not waited for for ever', async () => {
    const { code, stderr } = await sigil('check', fixture('silent-program.mjs'), '--timeout', '0.5');
    expect([code, stderr]).toEqual([
      1,
      'sigil: the program did not answer within 0.5 s: it must call app.run(), or serve MCP over stdio (for a server over HTTP, use sigil list --url)\n',
    ]);
  });
});

describe('the command sigil', () => {
  test.each([
    [['serve'], "there is no command 'serve'"],
    [['manifest'], 'there is no file dist/main.js: compile first, or choose another program'],
    [['serve', '--help'], "there is no command 'serve'"],
    [['manifest', 'a.js', 'b.js'], "'b.js' is one argument too many"],
    [['manifest', 'none.js'], 'there is no file none.js: compile first, or choose another program'],
    [['manifest', 'diff', 'a.json'], '<new.json> is missing'],
    [
      ['check', INVENTORY, '--for', 'openai,other'],
      "--for must be one of openai, gemini, anthropic, not 'other'",
    ],
    [['check', INVENTORY, '--profile', 'other'], "--profile must be one of claude, chatgpt, not 'other'"],
    [['check', INVENTORY, '--budget', 'few'], "--budget must be a positive number, not 'few'"],
    [
      ['check', INVENTORY, '--budget', '-5'],
      "option '--budget' has no value: write an equals sign before a value that begins with a dash",
    ],
    [['check', tmpdir()], `${tmpdir()} is not a file: use the path of a program file, such as dist/main.js`],
    [
      ['login', 'http://127.0.0.1/', '--callback-port', '99999'],
      "--callback-port must be a port, not '99999'",
    ],
    [['dev', '--compile', ' '], '--compile is empty: it must be the command of a compiler in watch mode'],
    [['check', INVENTORY, '--loud'], "unknown option '--loud'"],
    [['why', 'add'], 'there is no file dist/main.js: compile first, or choose another program'],
    [
      ['why', 'add', '--main', 'x.js', '--scope', 'a'],
      '--scope belongs to a principal: also use --as <principal>',
    ],
    [
      ['why', 'add', '--main', 'x.js', '--claims', '{}'],
      '--claims belong to a principal: also use --as <principal>',
    ],
    [
      ['why', 'add', '--main', 'x.js', '--as', 'ada', '--claims', '[1]'],
      `--claims must be a JSON object, such as '{"role":"agent"}', not '[1]'`,
    ],
  ])('answers %j with one line and exit code 2', async (args, message) => {
    const [command = ''] = /^(manifest diff|manifest|check|why|login|dev) /.exec(`${args.join(' ')} `) ?? [];
    expect(await sigil(...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `sigil: ${message} (see sigil ${command}--help)\n`,
    });
  });

  test('tells how it is used', async () => {
    const { code, stdout } = await sigil('--help');
    expect(code).toBe(0);
    for (const command of ['manifest', 'manifest diff', 'check', 'why'])
      expect(stdout).toContain(`  sigil ${command} `);
    expect(await sigil()).toEqual({ code: 2, stdout, stderr: '' });
  });
});

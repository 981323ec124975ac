import { afterEach, describe, expect, test } from '@jest/globals';
import { post } from './modern-http.js';
import { endProcesses, ServerProcess, until } from './processes.js';
import { fixture } from './sigil-command.js';

afterEach(endProcesses);

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

async function start(...args: string[]): Promise<{ server: ServerProcess; address: string }> {
  const server = new ServerProcess(fixture('careless-server.mjs'), args);
  const { address } = await server.event('ready');
  return { server, address: String(address) };
}

function callTool(address: string, name: string, args: object = {}): Promise<unknown> {
  return post(address, 'tools/call', { name, arguments: args });
}

/** The lines of the log about forgotten promises. */
function forgotten({ stderr }: ServerProcess): string[] {
  return stderr.split('\n').filter((line) => line.includes('nothing awaits it:'));
}

describe('over stdio a server', () => {
  /** Calls tools at once: their requests come in one piece. */
  async function answersOf(server: ServerProcess, ...calls: [name: string, args?: object][]) {
    const from = server.messages().length;
    const lines = calls.map(([name, args = {}], id) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args, _meta: META },
      }),
    );
    server.child.stdin.write(`${lines.join('\n')}\n`);
    await until(() => server.messages().length === from + calls.length);
    return server.messages().slice(from);
  }

  test('logs promises that handlers forget with the definition: before Node 24 from the second one on', async () => {
    const { server } = await start();
    for (const message of ['one', 'two']) {
      expect(await answersOf(server, ['forget', { messages: [message] }])).toMatchObject([
        { result: { resultType: 'complete' } },
      ]);
      await until(() => server.stderr.includes(`"message":"${message}"`));
    }
    expect(await answersOf(server, ['ask'])).toMatchObject([{ result: { resultType: 'input_required' } }]);
    await until(() => server.stderr.includes('"message":"work beside a question"'));
    const lines = forgotten(server);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`"where":"defineTool('forget')"`);
    expect(lines[2]).toContain(`"where":"defineTool('ask')"`);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test.each<[string, ...[string, object][]]>([
    ['by two calls at once', ['forget', { messages: ['one'] }], ['forget', { messages: ['two'] }]],
    ['by one call', ['forget', { messages: ['one', 'two'] }]],
  ])(
    'survives promises that are forgotten before calls are tracked, and logs each: %s',
    async (_, ...calls) => {
      const { server } = await start();
      await answersOf(server, ...calls);
      await until(() => forgotten(server).length === 2);
      for (const message of ['one', 'two']) expect(server.stderr).toContain(`"message":"${message}"`);
      server.child.stdin.end();
      expect(await server.ended).toEqual({ code: 0, signal: null });
    },
  );

  test.each([
    ['pool', 'the pool is away'],
    ['outside', 'outside of calls'],
  ])('survives forgotten promises that belong to no call, and logs them: %s', async (name, message) => {
    const { server } = await start();
    await answersOf(server, ['forget', { messages: ['one'] }]);
    await until(() => forgotten(server).length === 1);
    await answersOf(server, [name]);
    await until(() => forgotten(server).length === 2);
    expect(server.stderr).toContain(`"message":"${message}"`);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test.each([
    ['timer', 'thrown by a timer'],
    ['event', 'an event that nothing hears'],
  ])('ends for mistakes that leave it in an unknown state: %s', async (name, message) => {
    const { server } = await start();
    await answersOf(server, ['forget', { messages: ['one'] }]);
    await until(() => forgotten(server).length === 1);
    server.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name, _meta: META } });
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain(`Error: ${message}`);
  });
});

describe('over HTTP a server', () => {
  test('survives promises that what authenticates two requests at once forgets, and logs the request', async () => {
    const server = new ServerProcess(fixture('careless-authentication.mjs'));
    const address = String((await server.event('listening'))['address']);
    // The promises of the first two requests are rejected together.
    await Promise.all([callTool(address, 'hello'), callTool(address, 'hello')]);
    await until(() => forgotten(server).length === 2);
    await callTool(address, 'hello');
    await until(() => forgotten(server).length === 3);
    expect(forgotten(server)[2]).toContain('"httpMethod":"POST","path":"/mcp"');
    expect(await (await fetch(new URL('/hook', address))).text()).toBe('taken');
    await until(() => forgotten(server).length === 4);
    expect(forgotten(server)[3]).toContain('"path":"/hook"');
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  test('survives forgotten promises where it does not handle signals', async () => {
    const { server, address } = await start('unsignalled');
    await callTool(address, 'forget', { messages: ['one', 'two'] });
    await until(() => forgotten(server).length === 2);
    await callTool(address, 'forget', { messages: [] });
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test.each(['0', '5'])(
    'says on the console what its logger forgets, once, and goes on: after %s ms',
    async (ms) => {
      const { server, address } = await start('sends-lines', ms);
      for (const count of [1, 2, 3, 4]) {
        await callTool(address, 'throw');
        await until(() => server.events('line').length >= count);
        await until(() => forgotten(server).length > 0);
      }
      // The first one may have come to the logger, as what belongs to nothing known.
      expect(server.events('line').length).toBeLessThanOrEqual(5);
      expect(forgotten(server)).toHaveLength(1);
      expect(server.stderr).toContain("forgottenBy: 'the logger'");
      server.child.kill('SIGTERM');
      expect(await server.ended).toEqual({ code: 0, signal: null });
    },
  );

  test('ends where a listener of the author to forgotten promises throws', async () => {
    const { server, address } = await start('listens');
    await callTool(address, 'forget', { messages: ['one'] });
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain('Error: one');
  });

  test('ends for a forgotten promise where it is mounted: the process is its own', async () => {
    const { server, address } = await start('mounted');
    await callTool(address, 'forget', { messages: ['one'] });
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain('Error: one');
  });

  test('ends with an error where it cannot start, and nothing awaits it', async () => {
    const { server } = await start('taken');
    expect((await server.ended).code).toBe(1);
    expect(server.stderr).toContain('EADDRINUSE');
  });
});

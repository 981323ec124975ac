import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { LoggedInUser } from '../e2e/log-in.js';
import { endProcesses, freePort, ServerProcess, until } from '../e2e/processes.js';
import { compileStory, removeBundles } from './builds.js';
import { Found } from './found.js';
import { type Hosted, hostsWith } from './hosts.js';
import { type Connected, type Place, type Stack, STACKS } from './stacks.js';

// Builds and starts processes, on machines that others use.
jest.setTimeout(60_000);

const PAGE = 'docs/guide/who-can-connect.md';
const SERVER = new URL('../e2e/fixtures/clients-server.mjs', import.meta.url).pathname;
const PROVIDER = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;
const TRANSPORTS = ['stdio', 'Streamable HTTP', 'HTTP+SSE'] as const;
const COLUMNS = ['version', ...TRANSPORTS, 'login'] as const;
const found = new Found();

/** The revision in what a client gives of an answer. */
function revisionIn(answer: unknown): string {
  const [revision] = /\d{4}-\d\d-\d\d/.exec(JSON.stringify(answer)) ?? [];
  if (revision === undefined) throw new Error(`no revision in ${JSON.stringify(answer)}`);
  return revision;
}

/** Starts a server over HTTP. @returns the URL of its endpoint. */
async function serve(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const port = await freePort();
  const server = new ServerProcess(SERVER, [], { ...env, PORT: String(port) });
  await until(() => server.stderr.includes('listens'));
  return `http://127.0.0.1:${port}/mcp`;
}

/** Has a client that connects do something, and leave. */
async function connected<T>(
  { connect }: Stack,
  place: Place,
  use: (client: Connected) => Promise<T>,
): Promise<T> {
  const client = await connect(place);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** What comes of something, as JSON: also where it fails. */
async function outcomeOf(doing: Promise<unknown> | undefined): Promise<string> {
  const outcome = await doing?.catch((error: Error & { readonly stdout?: string }) => [
    error.message,
    error.stdout,
  ]);
  return JSON.stringify(outcome) ?? '';
}

/** Has a client do all that there is in the story, `without` what it cannot do. */
async function useAll(client: Connected, without: Readonly<Record<string, string>>): Promise<void> {
  expect(await outcomeOf(client.tools())).toMatch(/add.*greet|greet.*add/);
  expect(await outcomeOf(client.call('add', { a: 20, b: 22 }))).toContain('42');
  // LangChain checks arguments against the schema itself.
  expect(await outcomeOf(client.call('add', { a: 20, b: -22 }))).toMatch(/\bb: .*0|not match .* schema/);
  expect(await outcomeOf(client.read('shop://tea'))).toContain('sku');
  if (without['prompts'] === undefined)
    expect(await outcomeOf(client.prompt?.('recommend', { taste: 'sweet' }))).toContain('something sweet');
  const greeting = await outcomeOf(client.call('greet'));
  if (without['questions'] === undefined) expect(greeting).toContain('Hello, Ada');
  else expect(greeting).toMatch(/client cannot show forms|cannot send requests to this client/);
}

afterAll(endProcesses);
beforeAll(compileStory);
afterAll(() => {
  removeBundles();
  rmSync(outside, { recursive: true });
});

describe('a client', () => {
  let open = '';
  let guarded = '';
  beforeAll(async () => {
    open = await serve();
    const issuerPort = await freePort();
    const provider = new ServerProcess(PROVIDER, ['--port', String(issuerPort)]);
    await until(() => provider.stdout.includes('Authorization server'));
    guarded = await serve({ ISSUER: `http://127.0.0.1:${issuerPort}` });
  });

  describe.each(STACKS)('of $name', (stack) => {
    const { name, manifest, lacks = {} } = stack;
    const note = (column: string, what: string): void => found.note('client', COLUMNS, name, column, what);
    const ask = async (place: Place): Promise<string> =>
      revisionIn(await connected(stack, place, (client) => client.call('revision')));

    beforeAll(() => {
      const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
      note('version', version);
      for (const transport of TRANSPORTS) note(transport, transport in lacks ? 'no' : 'fails');
      note('login', lacks.login ?? 'fails');
    });

    test.each(TRANSPORTS.filter((transport) => !(transport in lacks)))(
      'connects over %s',
      async (transport) => {
        const sse = transport === 'HTTP+SSE';
        const url = sse ? open.replace('/mcp', '/sse') : open;
        const command = { command: process.execPath, args: [SERVER] };
        note(transport, await ask(transport === 'stdio' ? command : { url, sse }));
      },
    );

    if (lacks.login === undefined)
      test('logs its user in', async () => {
        const user = new LoggedInUser('ada');
        const place = { url: guarded, user };
        await expect(ask(place)).rejects.toThrow();
        const authorizationCode = user.callback?.get('code') ?? '';
        await auth(user as never, { serverUrl: guarded, authorizationCode });
        expect(await ask(place)).toMatch(/^\d/);
        note('login', 'yes, by `authProvider`');
      });
  });
});

const outside = mkdtempSync(join(tmpdir(), 'sigil-hosts-'));
const SHORT = STACKS.map(({ short }) => short);

describe.each(hostsWith(outside))('the story in $name', ({ name, start, asksNoSessions }) => {
  const note = (stack: Stack, what: string): void => found.note('server', SHORT, name, stack.short, what);
  let host: Hosted;
  beforeAll(async () => {
    for (const stack of STACKS) note(stack, 'stdio' in missing(stack) ? 'no' : 'fails');
    host = await start();
  });
  afterAll(() => host?.end());

  /** What a client does not do here, with the reasons. */
  const missing = ({ lacks = {}, isStateless }: Stack): Readonly<Record<string, string>> => ({
    ...(name.includes('stdio') && lacks.stdio ? { stdio: lacks.stdio } : {}),
    ...(lacks.prompts ? { prompts: lacks.prompts } : {}),
    ...(lacks.questions ? { questions: lacks.questions } : {}),
    ...(asksNoSessions && !isStateless && !lacks.questions ? { questions: asksNoSessions } : {}),
  });

  for (const stack of STACKS) {
    const without = missing(stack);
    const reasons = Object.entries(without).map(([feature, reason]) => `; no ${feature}: ${reason}`);
    (without['stdio'] === undefined ? test : test.skip)(
      `is what ${stack.short} lists, calls, reads and gets${reasons.join('')}`,
      async () => {
        await connected(stack, host.place, (client) => useAll(client, without));
        const left = Object.keys(without);
        note(stack, left.length === 0 ? 'all' : `no ${left.join(', ')}`);
      },
    );
  }
});

test(`${PAGE} says what was found; WRITE=1 npm run test:anywhere writes it`, () => found.compareWith(PAGE));

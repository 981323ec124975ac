import { readFileSync } from 'node:fs';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiSdkStdio } from '@ai-sdk/mcp/mcp-stdio';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { LoggedInUser } from '../e2e/log-in.js';
import { endProcesses, freePort, ServerProcess, until } from '../e2e/processes.js';
import { installed } from './builds.js';
import { Found } from './found.js';

jest.setTimeout(60_000);

const PAGE = 'docs/guide/who-can-connect.md';
const SERVER = new URL('../e2e/fixtures/clients-server.mjs', import.meta.url).pathname;
const PROVIDER = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;
const INFO = { name: 'under test', version: '1.0.0' };
const COMMAND = { command: process.execPath, args: [SERVER] };

/** Asks the server, as one who is logged in if there is a user, which revision is spoken. @returns what the client makes of the answer. */
type Ask = (url: string, user?: LoggedInUser) => Promise<unknown>;

const TRANSPORTS = ['stdio', 'Streamable HTTP', 'HTTP+SSE'] as const;

/** A package that connects to servers, and what it does so over. */
interface Client {
  readonly name: string;
  /** The file that says its version. */
  readonly manifest: string;
  readonly over: Readonly<Record<(typeof TRANSPORTS)[number], Ask>>;
}

/** The types of the packages disagree under exactOptionalPropertyTypes, and about what is readonly in a user. */
const loose = (value: unknown): never => value as never;

async function askV1(transport: object): Promise<unknown> {
  const client = new ClientV1(INFO);
  await client.connect(loose(transport));
  const result = await client.callTool({ name: 'revision', arguments: {} });
  await client.close();
  return result;
}

async function askV2(transport: object, mode?: 'auto'): Promise<unknown> {
  const client = new ClientV2(INFO, mode ? { versionNegotiation: { mode } } : {});
  await client.connect(loose(transport));
  const result = await client.callTool({ name: 'revision', arguments: {} });
  await client.close();
  return result;
}

const v2 = (mode?: 'auto'): Client['over'] => ({
  stdio: () => askV2(new StdioV2(COMMAND), mode),
  'Streamable HTTP': (url, authProvider) => askV2(new HttpV2(new URL(url), loose({ authProvider })), mode),
  'HTTP+SSE': (url, authProvider) => askV2(new SseV2(new URL(url), loose({ authProvider })), mode),
});

async function askAiSdk(transport: unknown): Promise<unknown> {
  const client = await createMCPClient({ transport: loose(transport) });
  const { revision } = await client.tools();
  const result: unknown = await revision?.execute(loose({}), { messages: [], toolCallId: '1' });
  await client.close();
  return result;
}

async function askLangChain(connection: object): Promise<unknown> {
  const client = new MultiServerMCPClient(loose({ mcpServers: { clients: connection } }));
  try {
    const [tool] = await client.getTools();
    return await tool?.invoke({});
  } finally {
    await client.close();
  }
}

async function askOpenAI(server: MCPServerStdio | MCPServerStreamableHttp | MCPServerSSE): Promise<unknown> {
  try {
    await server.connect();
    return await server.callTool('revision', {});
  } finally {
    await server.close();
  }
}

const CLIENTS: readonly Client[] = [
  {
    name: 'Official SDK v1, `@modelcontextprotocol/sdk`',
    manifest: 'node_modules/@modelcontextprotocol/sdk/package.json',
    over: {
      stdio: () => askV1(new StdioV1(COMMAND)),
      'Streamable HTTP': (url, authProvider) => askV1(new HttpV1(new URL(url), loose({ authProvider }))),
      'HTTP+SSE': (url, authProvider) => askV1(new SseV1(new URL(url), loose({ authProvider }))),
    },
  },
  {
    name: 'Official SDK v2, `@modelcontextprotocol/client`',
    manifest: 'node_modules/@modelcontextprotocol/client/package.json',
    over: v2(),
  },
  {
    name: 'the same, with `versionNegotiation: { mode: "auto" }`',
    manifest: 'node_modules/@modelcontextprotocol/client/package.json',
    over: v2('auto'),
  },
  {
    name: 'AI SDK, `@ai-sdk/mcp`',
    manifest: installed('@ai-sdk/mcp/package.json'),
    over: {
      stdio: () => askAiSdk(new AiSdkStdio(COMMAND)),
      'Streamable HTTP': (url, authProvider) => askAiSdk({ type: 'http', url, authProvider }),
      'HTTP+SSE': (url, authProvider) => askAiSdk({ type: 'sse', url, authProvider }),
    },
  },
  {
    name: 'LangChain, `@langchain/mcp-adapters`',
    manifest: installed('@langchain/mcp-adapters/package.json'),
    over: {
      stdio: () => askLangChain({ transport: 'stdio', ...COMMAND }),
      'Streamable HTTP': (url, authProvider) =>
        askLangChain({ transport: 'http', url, ...(authProvider ? { authProvider } : {}) }),
      'HTTP+SSE': (url, authProvider) =>
        askLangChain({ transport: 'sse', url, ...(authProvider ? { authProvider } : {}) }),
    },
  },
  {
    name: 'OpenAI Agents SDK, `@openai/agents`',
    manifest: installed('@openai/agents/package.json'),
    over: {
      stdio: () => askOpenAI(new MCPServerStdio(COMMAND)),
      'Streamable HTTP': (url, authProvider) => askOpenAI(new MCPServerStreamableHttp({ url, authProvider })),
      'HTTP+SSE': (url, authProvider) => askOpenAI(new MCPServerSSE({ url, authProvider })),
    },
  },
];

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

let open = '';
let guarded = '';
beforeAll(async () => {
  open = await serve();
  const issuerPort = await freePort();
  const provider = new ServerProcess(PROVIDER, ['--port', String(issuerPort)]);
  await until(() => provider.stdout.includes('Authorization server'));
  guarded = await serve({ ISSUER: `http://127.0.0.1:${issuerPort}` });
});
afterAll(endProcesses);

describe.each(CLIENTS)('$name', ({ name, manifest, over }) => {
  const note = (column: string, what: string): void => found.note('client', COLUMNS, name, column, what);

  beforeAll(() => {
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    note('version', version);
    for (const transport of TRANSPORTS) note(transport, 'fails');
    note('login', 'fails');
  });

  test.each(TRANSPORTS)('connects over %s', async (transport) => {
    const url = transport === 'HTTP+SSE' ? open.replace('/mcp', '/sse') : open;
    note(transport, revisionIn(await over[transport](url)));
  });

  test('logs its user in', async () => {
    const user = new LoggedInUser('ada');
    const ask = (): Promise<unknown> => over['Streamable HTTP'](guarded, user);
    await expect(ask()).rejects.toThrow();
    const authorizationCode = user.callback?.get('code') ?? '';
    await auth(loose(user), { serverUrl: guarded, authorizationCode });
    expect(revisionIn(await ask())).toMatch(/^\d/);
    note('login', 'yes, by `authProvider`');
  });
});

test(`${PAGE} says what was found; WRITE=1 npm run test:anywhere writes it`, () => found.compareWith(PAGE));

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AiSdkStdio } from '@ai-sdk/mcp/mcp-stdio';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import {
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport as HttpV2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import type { LoggedInUser } from '../e2e/log-in.js';
import { installed } from './builds.js';

/** Where a server is: a command to start, or a URL. */
export type Place =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly sse?: boolean; readonly user?: LoggedInUser };

/** What a client that is connected does. What it gives is looked for in its JSON. */
export interface Connected {
  tools(): Promise<unknown>;
  call(name: string, args?: object): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  prompt?(name: string, args: Record<string, string>): Promise<unknown>;
  close(): Promise<unknown>;
}

/** A package that connects to servers. */
export interface Stack {
  readonly name: string;
  /** What a table calls it in the head of a column. */
  readonly short: string;
  /** The file that says its version. */
  readonly manifest: string;
  connect(place: Place): Promise<Connected>;
  /** What it does not do, and why. */
  readonly lacks?: Readonly<
    Partial<Record<'stdio' | 'HTTP+SSE' | 'prompts' | 'questions' | 'login', string>>
  >;
  /** Whether it holds no session, so that it can be asked where there is none. */
  readonly isStateless?: boolean;
}

const INFO = { name: 'under test', version: '1.0.0' };
const CAPABILITIES = { capabilities: { elicitation: {} } };
const ANSWER = { action: 'accept' as const, content: { name: 'Ada' } };

/** The types of the packages disagree under exactOptionalPropertyTypes, and about what is readonly in a user. */
const loose = (value: unknown): never => value as never;

const doneBy = (client: ClientV1 | ClientV2): Connected => ({
  tools: () => client.listTools(),
  call: (name, args = {}) => client.callTool({ name, arguments: { ...args } }),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  close: () => client.close(),
});

async function connectV1(place: Place): Promise<Connected> {
  const client = new ClientV1(INFO, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  await client.connect(loose(transportV1(place)));
  return doneBy(client);
}

function transportV1(place: Place): object {
  if ('command' in place) return new StdioV1(loose(place));
  const Transport = place.sse ? SseV1 : HttpV1;
  return new Transport(new URL(place.url), loose({ authProvider: place.user }));
}

async function connectV2(place: Place, mode?: 'auto'): Promise<Connected> {
  const client = new ClientV2(INFO, { ...CAPABILITIES, ...(mode ? { versionNegotiation: { mode } } : {}) });
  client.setRequestHandler('elicitation/create', () => ANSWER);
  await client.connect(loose(transportV2(place)));
  return doneBy(client);
}

function transportV2(place: Place): object {
  if ('command' in place) return new StdioV2(loose(place));
  const Transport = place.sse ? SseV2 : HttpV2;
  return new Transport(new URL(place.url), loose({ authProvider: place.user }));
}

async function connectAiSdk(place: Place): Promise<Connected> {
  const transport =
    'command' in place
      ? new AiSdkStdio(loose(place))
      : { type: place.sse ? 'sse' : 'http', url: place.url, authProvider: place.user };
  const client = await createMCPClient({ transport: loose(transport), ...CAPABILITIES });
  client.onElicitationRequest(ElicitationRequestSchema, () => ANSWER);
  return {
    tools: () => client.tools(),
    call: async (name, args = {}) =>
      (await client.tools())[name]?.execute(loose(args), { messages: [], toolCallId: '1' }),
    read: (uri) => client.readResource({ uri }),
    prompt: (name, args) => client.experimental_getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function connectLangChain(place: Place): Promise<Connected> {
  const connection =
    'command' in place
      ? { transport: 'stdio', ...place }
      : {
          transport: place.sse ? 'sse' : 'http',
          url: place.url,
          ...(place.user ? { authProvider: place.user } : {}),
        };
  const client = new MultiServerMCPClient(loose({ mcpServers: { server: connection } }));
  const tools = await client.getTools().catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  return {
    tools: () => Promise.resolve(tools.map(({ name }) => name)),
    call: (called, args = {}) =>
      tools.find(({ name }) => name === called)?.invoke({ ...args }) as Promise<unknown>,
    read: (uri) => client.readResource('server', uri),
    prompt: async (name, args) => (await client.getClient('server'))?.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function connectOpenAI(place: Place): Promise<Connected> {
  const server =
    'command' in place
      ? new MCPServerStdio({ command: place.command, args: [...place.args] })
      : new (place.sse ? MCPServerSSE : MCPServerStreamableHttp)({
          url: place.url,
          authProvider: place.user,
        });
  await server.connect().catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  return {
    tools: () => server.listTools(),
    call: (name, args = {}) => server.callTool(name, { ...args }),
    read: (uri) => server.readResource(uri),
    close: () => server.close(),
  };
}

const run = promisify(execFile);
const INSPECTOR = installed('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** The command line of the Inspector, which connects for one request. It needs a newer Node than ours. */
function connectInspector(place: Place): Promise<Connected> {
  const target =
    'command' in place
      ? [place.command, ...place.args]
      : [place.url, '--transport', place.sse ? 'sse' : 'http'];
  const ask = async (...args: string[]): Promise<unknown> => {
    const words = [INSPECTOR, '--cli', ...target, ...args, '--format', 'json'];
    return (await run(installed('node24/bin/node'), words, { timeout: 30_000 })).stdout;
  };
  return Promise.resolve({
    tools: () => ask('--method', 'tools/list'),
    call: (name, args = {}) =>
      ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
    read: (uri) => ask('--method', 'resources/read', '--uri', uri),
    prompt: (name, args) => {
      const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
      return ask('--method', 'prompts/get', '--prompt-name', name, '--prompt-args', ...pairs);
    },
    close: () => Promise.resolve(),
  });
}

/** A program that the official client starts over stdio, and that takes all it says to a server over HTTP. */
function connectRemote(place: Place): Promise<Connected> {
  if ('command' in place) throw new Error('mcp-remote connects to URLs alone');
  const transport = place.sse ? 'sse-only' : 'http-only';
  return connectV1({
    command: process.execPath,
    args: [installed('mcp-remote/dist/proxy.js'), place.url, '--transport', transport, '--silent'],
  });
}

const OFFICIAL_V2 = resolve('node_modules/@modelcontextprotocol/client/package.json');
const ONE_REQUEST = 'it is a command for one request';

/** All of them. */
export const STACKS: readonly Stack[] = [
  {
    name: 'Official SDK v1, `@modelcontextprotocol/sdk`',
    short: 'SDK v1',
    manifest: resolve('node_modules/@modelcontextprotocol/sdk/package.json'),
    connect: connectV1,
  },
  {
    name: 'Official SDK v2, `@modelcontextprotocol/client`',
    short: 'SDK v2',
    manifest: OFFICIAL_V2,
    connect: connectV2,
  },
  {
    name: 'the same, with `versionNegotiation: { mode: "auto" }`',
    short: 'v2, `auto`',
    manifest: OFFICIAL_V2,
    connect: (place) => connectV2(place, 'auto'),
    isStateless: true,
  },
  {
    name: 'AI SDK, `@ai-sdk/mcp`',
    short: 'AI SDK',
    manifest: installed('@ai-sdk/mcp/package.json'),
    connect: connectAiSdk,
  },
  {
    name: 'LangChain, `@langchain/mcp-adapters`',
    short: 'LangChain',
    manifest: installed('@langchain/mcp-adapters/package.json'),
    connect: connectLangChain,
    lacks: { questions: 'it answers none' },
  },
  {
    name: 'OpenAI Agents SDK, `@openai/agents`',
    short: 'OpenAI Agents',
    manifest: installed('@openai/agents/package.json'),
    connect: connectOpenAI,
    lacks: { prompts: 'it has no method for them', questions: 'it answers none' },
  },
  {
    name: 'MCP Inspector, `@modelcontextprotocol/inspector --cli`',
    short: 'Inspector',
    manifest: installed('@modelcontextprotocol/inspector/package.json'),
    connect: connectInspector,
    lacks: { questions: ONE_REQUEST, login: 'in a browser, which was not tried' },
  },
  {
    name: '`mcp-remote`, between a client of stdio and a URL',
    short: '`mcp-remote`',
    manifest: installed('mcp-remote/package.json'),
    connect: connectRemote,
    lacks: { stdio: 'it connects to URLs alone', login: 'in a browser, which was not tried' },
  },
];

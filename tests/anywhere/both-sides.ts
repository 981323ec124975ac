import { join, resolve } from 'node:path';
import { expect } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { codeBlocks, compile } from '../docs/code-blocks.js';
import { type Program, startProgram } from '../e2e/frameworks/program.js';
import { freePort } from '../e2e/processes.js';
import { installed } from './builds.js';

/** The folder in which the other frameworks are installed. */
const ANYWHERE = resolve('tests/anywhere');
/** The folder of MCP-Nest, with its own copy of Nest. */
export const MCP_NEST: string = resolve('tests/anywhere/mcp-nest');
/** The folder of FrontMCP. It is empty if the registry does not have FrontMCP. */
export const FRONTMCP: string = resolve('tests/anywhere/frontmcp');

/** The name of our program in a page. */
const OURS = 'sigil-server.ts';

/** The programs of a page, compiled: of another framework, ours, and ours with plain errors in place of tool errors. */
export interface Compiled {
  readonly theirs: string;
  readonly ours: string;
  readonly oursWithPlainErrors: string;
}

/**
 * Compiles the programs of a page.
 *
 * @param theirs the name of the other framework's.
 * @param installed the folder in which the other framework is installed.
 */
export async function compileSides(page: string, theirs: string, installed = ANYWHERE): Promise<Compiled> {
  const blocks = await codeBlocks(`docs/coming-from/${page}.md`);
  const others = blocks.filter(({ name }) => name !== theirs);
  const [plain] = others
    .filter(({ name }) => name === OURS)
    .map(({ code }) => ({ name: 'plain-errors.ts', code: code.replaceAll('new ToolError(', 'new Error(') }));
  if (plain === undefined || others.length === blocks.length) throw new Error(`${page} lacks a program`);
  const name = `coming-from-${page}`;
  const ours = await compile([...others, plain], name);
  return {
    theirs: join(
      await compile(
        blocks.filter((block) => block.name === theirs),
        name,
        installed,
      ),
      theirs.replace(/ts$/, 'js'),
    ),
    ours: join(ours, 'sigil-server.js'),
    oursWithPlainErrors: join(ours, 'plain-errors.js'),
  };
}

/** Compiles our program of a page, without the other framework's. @returns its file. */
export async function compileOurs(page: string): Promise<string> {
  const blocks = await codeBlocks(`docs/coming-from/${page}.md`);
  const folder = await compile(
    blocks.filter(({ name }) => name === OURS),
    `coming-from-${page}-ours`,
  );
  return join(folder, 'sigil-server.js');
}

/** How a client connects to a server. */
export interface Connecting {
  /** The official client's: sessions up to 2025-11-25 unless a revision is given. */
  readonly revision?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts servers and connects clients, and ends them. */
export class Running {
  readonly #programs: Program[] = [];
  readonly #clients: Client[] = [];

  /** Starts a program that listens on `PORT`. @returns the URL it prints. */
  async start(file: string): Promise<URL> {
    const { program } = await this.#spawn(process.execPath, file);
    return new URL((await program.line('Listens on ')).replace('Listens on ', ''));
  }

  /** Starts a program of FrontMCP, which needs Node 24. @returns its URL. */
  async startFrontMcp(file: string): Promise<URL> {
    const { program, port } = await this.#spawn(installed('node24/bin/node'), file);
    await program.line('MCP HTTP (Express) on ');
    return new URL(`http://127.0.0.1:${port}/`);
  }

  async #spawn(node: string, file: string): Promise<{ program: Program; port: number }> {
    const port = await freePort();
    const program = startProgram(node, [file], { PORT: String(port) });
    this.#programs.push(program);
    return { program, port };
  }

  /** Connects a client whose user agrees to everything but a second tea. */
  async connect(url: URL, { revision, headers = {} }: Connecting = {}): Promise<Side> {
    const client = new Client(
      { name: 'reader', version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: revision === undefined ? 'legacy' : { pin: revision } },
      },
    );
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params: { message, ...form } }) => {
      const { properties, required } = 'requestedSchema' in form ? form.requestedSchema : {};
      asked.push({ message, properties, required });
      return message.includes('TEA-002')
        ? { action: 'decline' }
        : { action: 'accept', content: { sure: true } };
    });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    this.#clients.push(client);
    return { client, asked };
  }

  /** Ends all of it, clients first. */
  async end(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
    for (const program of this.#programs.splice(0)) await program.kill();
  }
}

/** A client, and what its user was asked. */
export interface Side {
  readonly client: Client;
  readonly asked: readonly unknown[];
}

/** What a client does. */
export type Ask = (client: Client) => Promise<object>;

/** What becomes of it, an error of the protocol included, without what only the new revisions carry. */
export async function outcomeOf({ client }: Side, ask: Ask): Promise<Record<string, unknown>> {
  try {
    const {
      _meta,
      ttlMs: _ttl,
      cacheScope: _scope,
      ...result
    } = (await ask(client)) as Record<string, unknown>;
    return result;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { code, message };
  }
}

/** Calls a tool. */
export const call =
  (name: string, args: Record<string, unknown> = {}): Ask =>
  (client) =>
    client.callTool({ name, arguments: args });

/** Reads a resource. */
export const read =
  (uri: string): Ask =>
  (client) =>
    client.readResource({ uri });

/** What both servers have to do alike: everything that the server of the pages does. */
const SAME: Readonly<Record<string, Ask>> = {
  'the tools': async (client) => {
    const { tools } = await client.listTools();
    // FrontMCP sorts them.
    return { tools: tools.map(essentials).sort((one, other) => one.name.localeCompare(other.name)) };
  },
  'the resources': (client) => client.listResources(),
  'the templates': (client) => client.listResourceTemplates(),
  'the prompts': (client) => client.listPrompts(),
  'a price': call('price', { sku: 'TEA-001', quantity: 3 }),
  'a property too many': call('price', { sku: 'TEA-001', quantity: 3, colour: 'red' }),
  'structured content': call('stock_level', { sku: 'TEA-001' }),
  'a failure of the tool': call('stock_level', { sku: 'TEA-009' }),
  'a fixed resource': read('shop://hours'),
  'a resource of the template': read('shop://products/TEA-001'),
  'a prompt': async (client) => {
    const { messages } = await client.getPrompt({ name: 'recommend', arguments: { taste: 'sweet' } });
    return { messages };
  },
};

/** A tool as a model needs it: without the dialect of its schemas, and without what a framework adds. */
function essentials({ name, description, annotations, inputSchema, outputSchema }: Tool) {
  const schema = (whole?: Record<string, unknown>) => {
    // FrontMCP adds an alternative for clients that it cannot ask.
    const [own = whole] = (whole?.['oneOf'] ?? []) as Record<string, unknown>[];
    return own && { properties: own['properties'], required: own['required'] };
  };
  return { name, description, annotations, input: schema(inputSchema), output: schema(outputSchema) };
}

type Tool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** Sends the same requests to both servers, and holds the answers to be equal and to be no errors. */
export async function expectSame(theirs: Side, ours: Side): Promise<void> {
  for (const [what, ask] of Object.entries(SAME)) {
    const [other, own] = [await outcomeOf(theirs, ask), await outcomeOf(ours, ask)];
    expect({ what, ...own }).toEqual({ what, ...other });
    expect(Object.keys(own)).not.toContain('code');
  }
}

/** A tool that asks the user, who agrees and then does not, and reports progress. */
export async function expectSameQuestions(theirs: Side, ours: Side): Promise<void> {
  const [other, own] = [await order(theirs), await order(ours)];
  expect(own).toEqual(other);
  expect(own.texts).toEqual(['Ordered TEA-001', 'Nothing was ordered']);
}

/** Orders two teas. @returns the answers, and what the client heard meanwhile. */
export async function order({ client, asked }: Side) {
  const progress: unknown[] = [];
  const texts: unknown[] = [];
  for (const sku of ['TEA-001', 'TEA-002']) {
    const options = { onprogress: (report: object) => void progress.push(report) };
    const { content } = await client.callTool({ name: 'order', arguments: { sku } }, options);
    texts.push(...content.map((block) => ('text' in block ? block.text : block)));
  }
  return { texts, progress, asked };
}

import { join, resolve } from 'node:path';
import { expect } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { codeBlocks, compile } from '../docs/code-blocks.js';
import { type Program, startProgram } from '../e2e/frameworks/program.js';
import { freePort } from '../e2e/processes.js';

/** The folder in which the other frameworks are installed. */
const ANYWHERE = resolve('tests/anywhere');
/** The folder of MCP-Nest, with its own copy of Nest. */
export const MCP_NEST: string = resolve('tests/anywhere/mcp-nest');

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
    .filter(({ name }) => name === 'sigil-server.ts')
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

/** Compiles the programs of a page whose other framework cannot be installed. @returns their folder. */
export async function compileOurs(page: string): Promise<string> {
  return compile(await codeBlocks(`docs/coming-from/${page}.md`), `coming-from-${page}`);
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
    const program = startProgram(process.execPath, [file], { PORT: String(await freePort()) });
    this.#programs.push(program);
    return new URL((await program.line('Listens on ')).replace('Listens on ', ''));
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
  'the tools': async (client) => ({ tools: (await client.listTools()).tools.map(essentials) }),
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
function essentials({ name, description, annotations, inputSchema, outputSchema }: Tool): object {
  const schema = (of?: Record<string, unknown>) =>
    of && { properties: of['properties'], required: of['required'] };
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

import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMCPClient } from '@ai-sdk/mcp';
import { betaJSONSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { mcpToTool } from '@google/genai';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { loadMcpTools } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { getAllMcpTools, MCPServerStreamableHttp } from '@openai/agents';
import { checkManifest, type HostName } from '@sigil/cli';
import { createApp, defineTool } from '@sigil/core';
import type { JsonSchema } from '@sigil/core/protocol';
import { nodeHandler } from '@sigil/http';
import { generateText, type ToolSet } from 'ai';
import { Type } from 'class-transformer';
import {
  Allow,
  Equals,
  IsArray,
  IsDate,
  IsEmail,
  IsEnum,
  IsInt,
  IsNotIn,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { endProcesses, EVERYTHING, freePort, INVENTORY, ServerProcess, until } from '../e2e/processes.js';

jest.setTimeout(60_000);

enum Level {
  Low = 1,
  High = 2,
}

class Address {
  @IsString() @Length(1, 60) city!: string;
  @Matches(/^[A-Z]{2}$/) country!: string;
}

abstract class Shape {
  @IsString() kind!: string;
}

class Circle extends Shape {
  @IsInt() @IsPositive() radius!: number;
}

class Square extends Shape {
  @IsInt() side!: number;
  @IsOptional() @IsString() colour?: string;
}

class Tree {
  @IsString() name!: string;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => Tree) children?: Tree[];
}

/** Everything that the schema of a class may have in it. */
class Drawing {
  @ValidateNested() @Type(() => Address) from!: Address;
  @ValidateNested() @Type(() => Address) to!: Address;
  @ValidateNested()
  @Type(() => Shape, {
    discriminator: {
      property: 'kind',
      subTypes: [
        { value: Circle, name: 'circle' },
        { value: Square, name: 'square' },
      ],
    },
  })
  shape!: Circle | Square;
  @IsInt({ each: true }) sizes!: Map<string, number>;
  @IsString({ each: true }) tags!: Set<string>;
  @IsArray() @Allow({ each: true }) list!: unknown[];
  @IsObject() free!: object;
  @IsEnum(Level) level!: Level;
  @IsDate() @Type(() => Date) when!: Date;
  @IsEmail() @IsOptional() mail?: string;
  @Equals(true) agreed!: boolean;
  @IsString() @IsNotIn(['x']) word!: string;
}

async function serveDrawings(): Promise<Server> {
  const app = await createApp({
    name: 'drawings',
    version: '1.0.0',
    definitions: [
      defineTool({ name: 'draw', description: 'Draws', input: Drawing, handle: () => 'drawn' }),
      defineTool({ name: 'grow', description: 'Grows', input: Tree, handle: () => 'grown' }),
      defineTool({ name: 'clear', description: 'Clears', handle: () => 'cleared' }),
    ],
  });
  const handle = nodeHandler(app);
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function serve(script: string): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  new ServerProcess(script, ['--http', '--port', new URL(url).port]);
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return url;
}

/** What a converter makes of a server's tools, by name. */
type Converted = Readonly<Record<string, JsonSchema | undefined>>;

interface ConvertedTool {
  readonly name: string;
  readonly parameters?: unknown;
}

const byName = (tools: readonly ConvertedTool[]): Converted =>
  Object.fromEntries(tools.map(({ name, parameters }) => [name, parameters as JsonSchema | undefined]));

async function byOpenAI(url: string, convertSchemasToStrict: boolean): Promise<Converted> {
  const server = new MCPServerStreamableHttp({ url, name: 'under test' });
  await server.connect();
  try {
    const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict });
    return byName(tools as ConvertedTool[]);
  } finally {
    await server.close();
  }
}

async function byGoogle(_url: string, client: Client): Promise<Converted> {
  const { functionDeclarations = [] } = await mcpToTool(client).tool();
  return byName(
    functionDeclarations.map(({ name = '', parametersJsonSchema: parameters }) => ({ name, parameters })),
  );
}

async function byLangChain(_url: string, client: Client): Promise<Converted> {
  // Its types are those of another copy of the package.
  const tools = await loadMcpTools('under test', client as unknown as Parameters<typeof loadMcpTools>[1]);
  return byName(tools.map((tool) => convertToOpenAITool(tool).function));
}

/** What the AI SDK sends Gemini, as an answer would be asked for; nothing leaves this machine. */
async function byAiSdk(url: string): Promise<Converted> {
  const client = await createMCPClient({ transport: { type: 'http', url } });
  const sent: ConvertedTool[] = [];
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
  };
  const google = createGoogleGenerativeAI({
    apiKey: 'none',
    fetch: (_, { body } = {}) => {
      const { tools } = JSON.parse(typeof body === 'string' ? body : '{}') as {
        tools: { functionDeclarations: (ConvertedTool & { parametersJsonSchema?: unknown })[] }[];
      };
      const declared = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
      for (const { name, parameters, parametersJsonSchema } of declared)
        sent.push({ name, parameters: parameters ?? parametersJsonSchema });
      return Promise.resolve(Response.json(answer));
    },
  });
  try {
    // The packages' own types disagree under exactOptionalPropertyTypes.
    const tools = (await client.tools()) as unknown as ToolSet;
    await generateText({ model: google('gemini-2.5-flash'), tools, prompt: 'Go' });
  } finally {
    await client.close();
  }
  return byName(sent);
}

const CONVERTERS: Readonly<Record<string, (url: string, client: Client) => Promise<Converted>>> = {
  '@openai/agents': (url) => byOpenAI(url, false),
  '@openai/agents, strict': (url) => byOpenAI(url, true),
  '@google/genai': byGoogle,
  '@langchain/mcp-adapters': byLangChain,
  'the AI SDK for Gemini': byAiSdk,
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of all properties in a schema, through its own references, each followed once within itself. */
function pathsIn(root: JsonSchema): Set<string> {
  const found = new Set<string>();
  const visit = (schema: unknown, path: string, within: readonly string[]): void => {
    if (!isSchema(schema)) return;
    const reference = typeof schema['$ref'] === 'string' ? schema['$ref'] : undefined;
    if (reference !== undefined && !within.includes(reference)) {
      const target = (root['$defs'] as JsonSchema | undefined)?.[reference.replace('#/$defs/', '')];
      visit(target, path, [...within, reference]);
    }
    for (const [name, one] of Object.entries(schema['properties'] ?? {})) {
      found.add(`${path}.${name}`);
      visit(one, `${path}.${name}`, within);
    }
    visit(schema['items'], `${path}[]`, within);
    for (const one of [schema['anyOf'] ?? [], schema['oneOf'] ?? []].flat()) visit(one, path, within);
  };
  visit(root, '', []);
  return found;
}

/** Every schema within a schema. */
function schemasIn(schema: unknown): JsonSchema[] {
  if (!isSchema(schema)) return [];
  const inner = Object.entries(schema).flatMap(([keyword, value]) =>
    ['properties', '$defs'].includes(keyword) && isSchema(value) ? Object.values(value) : [value].flat(),
  );
  return [schema, ...inner.flatMap(schemasIn)];
}

const keywordsIn = (schema: unknown): Set<string> =>
  new Set(schemasIn(schema).flatMap((one) => Object.keys(one)));

/** The objects in a schema: whether they may have other members than they name, and whether they may lack one of these. */
function objectsIn(schema: unknown): { readonly isOpen: boolean; readonly mayLack: boolean }[] {
  return schemasIn(schema)
    .filter(({ type }) => type === 'object')
    .map(({ additionalProperties, properties = {}, required = [] }) => ({
      isOpen: additionalProperties !== false,
      mayLack: Object.keys(properties as object).some((name) => !(required as string[]).includes(name)),
    }));
}

/** The keywords of which findings speak. */
const keywordsOf = (whats: readonly string[]): string[] =>
  whats.flatMap((what) => /^\w+ (?:ignores|refuses in strict mode) `(\w+)`/.exec(what)?.[1] ?? []);

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

const SERVERS = ['everything', 'inventory', 'drawings'] as const;

describe.each(SERVERS)('the tools of %s', (name) => {
  let drawings: Server | undefined;
  let url: string;
  let client: Client;
  let tools: readonly Tool[];

  beforeAll(async () => {
    if (name === 'drawings') drawings = await serveDrawings();
    url = drawings
      ? `http://127.0.0.1:${(drawings.address() as AddressInfo).port}/mcp`
      : await serve(name === 'everything' ? EVERYTHING : INVENTORY);
    client = new Client({ name: 'host', version: '1.0.0' });
    // The package's own types disagree under exactOptionalPropertyTypes.
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url)) as unknown as Parameters<Client['connect']>[0],
    );
    ({ tools } = await client.listTools());
  });

  afterAll(async () => {
    await client.close();
    drawings?.closeAllConnections();
    drawings?.close();
    await endProcesses();
  });

  test.each(Object.entries(CONVERTERS))('are converted whole by %s', async (_, convert) => {
    const converted = await convert(url, client);
    expect(Object.keys(converted).sort()).toEqual(tools.map((tool) => tool.name).sort());
    for (const tool of tools) {
      const lost = [...pathsIn(tool.inputSchema)].filter(
        (path) => !pathsIn(converted[tool.name] ?? {}).has(path),
      );
      expect([tool.name, lost]).toEqual([tool.name, []]);
    }
  });

  /** What `sigil check` says of a tool for a host. */
  const objections = (host: HostName, tool: Tool, strict: boolean): readonly string[] => {
    const manifest = { tools: [tool], prompts: [], resources: [], resourceTemplates: [] } as unknown;
    const rules = { budget: Infinity, hosts: [host], strict };
    const { findings } = checkManifest(manifest as Parameters<typeof checkManifest>[0], rules);
    return findings.filter(({ code }) => code.startsWith('CHECK_HOST')).map(({ what }) => what);
  };

  test('lose by the AI SDK for Gemini every keyword that `sigil check` says Gemini ignores', async () => {
    const converted = await byAiSdk(url);
    for (const tool of tools.filter(({ inputSchema }) => !('$defs' in inputSchema))) {
      const ignored = keywordsOf(objections('gemini', tool, false));
      const sent = keywordsIn(converted[tool.name]);
      // The AI SDK sends these two all the same.
      const kept = ignored.filter(
        (keyword) => sent.has(keyword) && !['minLength', 'allOf'].includes(keyword),
      );
      expect([tool.name, kept]).toEqual([tool.name, []]);
    }
  });

  test('change in strict mode by @openai/agents where `sigil check --strict` says so', async () => {
    const converted = await byOpenAI(url, true);
    for (const tool of tools) {
      const said = objections('openai', tool, true);
      const strict = converted[tool.name] ?? {};
      const [before, after] = [objectsIn(tool.inputSchema), objectsIn(strict)];
      expect(after.filter(({ isOpen, mayLack }) => isOpen || mayLack)).toEqual([]);
      expect([tool.name, said.some((what) => what.includes('optional arguments'))]).toEqual([
        tool.name,
        before.some(({ mayLack }) => mayLack),
      ]);
      expect([tool.name, said.some((what) => /members of any name|additionalProperties/.test(what))]).toEqual(
        [tool.name, before.some(({ isOpen }) => isOpen)],
      );
    }
  });

  test('lose by the library of Anthropic the keywords that `sigil check --strict` says it refuses', () => {
    for (const tool of tools) {
      const said = objections('anthropic', tool, true);
      const made = attempt(() => betaJSONSchemaOutputFormat(tool.inputSchema as never).schema);
      expect([tool.name, said.some((what) => what.includes('a schema without a type'))]).toEqual([
        tool.name,
        made === undefined,
      ]);
      if (made === undefined) continue;
      // It moves them into descriptions, annotations and patterns too.
      const left = keywordsIn(made);
      const lost = [...keywordsIn(tool.inputSchema)].filter((keyword) => !left.has(keyword));
      const limits = lost.filter(
        (keyword) => !['default', 'examples', 'pattern', 'x-mcp-header'].includes(keyword),
      );
      expect([tool.name, limits.sort()]).toEqual([tool.name, keywordsOf(said).sort()]);
    }
  });
});

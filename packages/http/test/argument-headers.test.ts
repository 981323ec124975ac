import { manifestOf } from '@sigil/core/manifest';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Arg, createApp, McpHeader, Tool } from '@sigil/core';
import { IsBoolean, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { fetchHandler } from '../src/fetch.js';

class Place {
  @McpHeader('Zone') @IsString() zone!: string;
}

class Query {
  @McpHeader('Region') @IsString() @IsOptional() region?: string;
  @McpHeader('Level') @IsInt() @IsOptional() level?: number;
  @McpHeader('Dry-Run') @IsBoolean() @IsOptional() dry?: boolean;
  @IsString() @IsOptional() plain?: string;
}

class Tools {
  @Tool()
  find(query: Query) {
    return { ...query };
  }

  @Tool()
  read(@McpHeader('Id') @Arg('id') id: string) {
    return id;
  }
}

const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('arguments that are repeated in headers', () => {
  const server: { serve?: ReturnType<typeof fetchHandler> } = {};

  beforeAll(async () => {
    server.serve = fetchHandler(await createApp({ name: 'test', version: '1', services: [Tools] }));
  });

  afterAll(() => server.serve?.close());

  async function call(name: string, args: object, headers: Record<string, string>) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
        ...headers,
      },
      body: JSON.stringify(message),
    });
    const response = await server.serve?.(request);
    const { error } = (await response?.json()) as { error?: { code: number } };
    return error ? error.code : response?.status;
  }

  test.each([
    ['a string', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }],
    ['a string in base64', { region: 'Zürich' }, { 'Mcp-Param-Region': base64('Zürich') }],
    ['a string with white space around the header', { region: 'eu' }, { 'Mcp-Param-Region': ' eu ' }],
    [
      'half of a sentinel, which is literal',
      { region: '=?base64?eu' },
      { 'Mcp-Param-Region': '=?base64?eu' },
    ],
    ['an integer', { level: 42 }, { 'Mcp-Param-Level': '42' }],
    ['an integer, written otherwise', { level: 42 }, { 'Mcp-Param-Level': '42.0' }],
    ['a boolean', { dry: true }, { 'Mcp-Param-Dry-Run': 'true' }],
    ['null, without a header', { region: null }, {}],
    ['nothing, without a header', { plain: 'x' }, {}],
    ['nothing, with a header that nobody asked for', {}, { 'Mcp-Param-Other': 'x' }],
  ])('may be %s [checklist 13]', async (_what, args, headers) => {
    expect(await call('find', args, headers as Record<string, string>)).toBe(200);
  });

  test.each([
    ['a header that is missing', { region: 'eu' }, {}],
    ['a header that differs', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }],
    ['a header that differs in case', { region: 'eu' }, { 'Mcp-Param-Region': 'EU' }],
    ['base64 without its padding', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }],
    ['base64 outside its alphabet', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs*G8=?=' }],
    ['bytes outside of visible ASCII', { region: 'Z\u00fcrich' }, { 'Mcp-Param-Region': 'Z\u00fcrich' }],
    ['another integer', { level: 42 }, { 'Mcp-Param-Level': '43' }],
    ['no integer', { level: 0 }, { 'Mcp-Param-Level': ' ' }],
    ['another boolean', { dry: true }, { 'Mcp-Param-Dry-Run': 'True' }],
    ['a header without an argument', {}, { 'Mcp-Param-Region': 'eu' }],
    ['an argument that cannot be written', { region: { toString: null } }, { 'Mcp-Param-Region': 'eu' }],
  ])('are refused with %s: -32020 [checklist 13] [checklist 60]', async (_what, args, headers) => {
    expect(await call('find', args, headers as Record<string, string>)).toBe(-32020);
  });

  test('may be parameters', async () => {
    expect(await call('read', { id: 'a' }, { 'Mcp-Param-Id': 'a' })).toBe(200);
    expect(await call('read', { id: 'a' }, {})).toBe(-32020);
  });
});

describe('a header', () => {
  const problemsOf = async (service: new () => object) => {
    const failure = await createApp({ name: 'test', version: '1', services: [service] }).catch(
      (error: unknown) => error,
    );
    return (failure as { problems: readonly { what: string }[] }).problems.map(({ what }) => what);
  };

  test('is told to clients in the schema', async () => {
    const app = await createApp({ name: 'test', version: '1', services: [Tools] });
    const [tool] = manifestOf(app).tools;
    expect(tool?.inputSchema['properties']).toMatchObject({
      region: { 'x-mcp-header': 'Region' },
      level: { 'x-mcp-header': 'Level' },
      dry: { 'x-mcp-header': 'Dry-Run' },
    });
  });

  test('is warned of at start where its argument is named like a secret [checklist 65]', async () => {
    class Vault {
      @Tool()
      open(
        @McpHeader('Vault') @Arg('vault') vault: string,
        @McpHeader('One') @Arg('password') a: string,
        @McpHeader('Two') @Arg('accessToken') b: string,
        @McpHeader('Three') @Arg('api_key') c: string,
        @McpHeader('Client-Secret') @Arg('other') d: string,
        @McpHeader('Rows') @Arg('tokens', { type: 'integer' }) rows: number,
      ) {
        return [vault, a, b, c, d, rows];
      }
    }
    const warned: unknown[] = [];
    const ignore = (): void => undefined;
    const warn = (details: object | string): void => void warned.push(details);
    const logger = { debug: ignore, info: ignore, warn, error: ignore };
    const where = 'Vault.open';
    await createApp({ name: 'test', version: '1', services: [Vault], logger });
    expect(warned).toEqual([
      { where, header: 'mcp-param-one', argument: 'password' },
      { where, header: 'mcp-param-two', argument: 'accessToken' },
      { where, header: 'mcp-param-three', argument: 'api_key' },
      { where, header: 'mcp-param-client-secret', argument: 'other' },
    ]);
  });

  test('keeps the app from starting when its name is none, or there twice, or its argument no primitive', async () => {
    class Bad {
      @Tool()
      one(@McpHeader('no name') @Arg('a') a: string) {
        return a;
      }
      @Tool()
      two(@McpHeader('Same') @Arg('a') a: string, @McpHeader('same') @Arg('b') b: string) {
        return a + b;
      }
      @Tool()
      three(@McpHeader('N') @Arg('n') n: number) {
        return n;
      }
    }
    expect(await problemsOf(Bad)).toEqual([
      '"no name" is not a valid header name',
      'two arguments have the header same',
      'the argument for the header N is not a string, integer or boolean',
    ]);
  });

  test('keeps the app from starting where a list or a reference leads to it', async () => {
    class Trip {
      @ValidateNested({ each: true }) @Type(() => Place) places!: Place[];
    }
    class Bad {
      @Tool()
      plan(trip: Trip) {
        return trip.places.length;
      }
    }
    const [what] = await problemsOf(Bad);
    expect(what).toContain('Zone');
  });
});

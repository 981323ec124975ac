import { describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defineCompletion, definePrompt, defineResource, defineTool, type Guard } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { describePage, textOf } from './guide-page.js';

describePage('guards-and-middleware', ({ serve }) => {
  async function as<T>(address: URL, token: string, use: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  test('shows each role what it may use', async () => {
    const address = await serve('payroll.ts');
    const namesOf = (token: string) =>
      as(address, token, async (client) => (await client.listTools()).tools.map(({ name }) => name));
    expect(await namesOf('token-of-ada')).toEqual(['salary', 'raise']);
    expect(await namesOf('token-of-bob')).toEqual(['salary']);
    const raised = as(address, 'token-of-bob', (client) =>
      client.callTool({ name: 'raise', arguments: { percent: 5 } }),
    );
    await expect(raised).rejects.toMatchObject({ code: -32602 });
  });

  test('lets through only calls about the caller', async () => {
    const address = await serve('payroll.ts');
    const salary = (token: string, employee: string) =>
      as(address, token, (client) => client.callTool({ name: 'salary', arguments: { employee } }));
    expect(textOf(await salary('token-of-bob', 'bob'))).toBe('bob earns 100');
    expect(textOf(await salary('token-of-ada', 'bob'))).toBe('bob earns 100');
    expect(await salary('token-of-bob', 'ada')).toMatchObject({
      isError: true,
      content: [{ text: 'Access denied: you are not allowed to call salary with these arguments' }],
    });
  });
});

describe('what the page says of guards and middleware', () => {
  class Nobody implements Guard {
    allows(): boolean {
      return true;
    }

    permits(): boolean {
      return false;
    }
  }
  const input = { type: 'object', properties: { name: { type: 'string' } } };

  test('holds for what permits refuses, and for completions', async () => {
    const seen: unknown[] = [];
    await using server = await testApp({
      guards: [Nobody],
      middleware: [
        (ctx, next) => {
          seen.push([ctx.method, ctx.args]);
          return next();
        },
      ],
      definitions: [
        defineTool({ name: 'tool', handle: () => 'ran' }),
        defineResource({ uri: 'x://y', name: 'y', handle: () => 'ran' }),
        definePrompt({ name: 'prompt', input, handle: () => 'ran' }),
        defineCompletion({ ref: 'prompt', argument: 'name', handle: () => ['Ada'] }),
      ],
    });
    const { client } = server;
    expect(await client.callTool('tool')).toMatchObject({ isError: true });
    await expect(client.readResource('x://y')).rejects.toThrow('Resource not found');
    await expect(client.getPrompt('prompt')).rejects.toMatchObject({ code: -32602 });
    const ref = { type: 'ref/prompt', name: 'prompt' } as const;
    expect((await client.complete(ref, 'name', 'A')).values).toEqual(['Ada']);
    await client.listTools();
    expect(seen).toEqual([['completion/complete', { name: 'A' }]]);
  });
});

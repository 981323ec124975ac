import { describe, expect, test } from '@jest/globals';
import { InputResponseError, defineResource, defineTool, mapError, ToolError } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { describePage } from './guide-page.js';

describePage('errors', ({ connect }) => {
  test('shows each family of errors', async () => {
    const client = await connect('bank.ts');
    const withdraw = async (account: string, amount: number) =>
      client.callTool({ name: 'withdraw', arguments: { account, amount } });
    expect(await withdraw('ada', 4)).toMatchObject({ content: [{ text: '6 left' }] });
    for (const [account, amount, text] of [
      ['ada', 2000, 'Withdraw 1000 at most, or ask the branch'],
      ['ada', 10, 'There are 4 missing'],
      ['bob', 1, 'Internal error'],
    ] as const) {
      expect(await withdraw(account, amount)).toMatchObject({ isError: true, content: [{ text }] });
    }
    await expect(client.readResource({ uri: 'rates://EURO' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('A currency has three letters'),
      data: { currency: 'EURO' },
    });
    await expect(client.readResource({ uri: 'rates://USD' })).rejects.toThrow('Resource not found');
  });
});

describe('what the page says of errors', () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const throwing = (error: unknown) =>
    defineResource({
      uri: 'x://y',
      name: 'y',
      handle: () => {
        throw error;
      },
    });

  test.each([
    [new ToolError('No rates today'), { code: -32603, message: 'No rates today' }],
    [new InputResponseError('invalid', 'No such day'), { code: -32602, message: 'No such day' }],
    [new InputResponseError('late', 'Nobody answered'), { code: -32603, message: 'Nobody answered' }],
    [new Error('secret'), { code: -32603, message: 'Internal error' }],
  ])('holds for a resource that throws %s', async (error, answer) => {
    await using server = await testApp({ definitions: [throwing(error)], logger: silent });
    await expect(server.client.readResource('x://y')).rejects.toMatchObject(answer);
  });

  test('holds for mappers: the nearest is used, subclasses included, after middleware has seen the error', async () => {
    class Failure extends Error {}
    class DiskFailure extends Failure {}
    const seen: unknown[] = [];
    const work = defineTool({
      name: 'work',
      handle: () => {
        throw new DiskFailure('disk 7');
      },
      errors: [mapError(Failure, () => new ToolError('of the tool'))],
    });
    await using server = await testApp({
      definitions: [work],
      errors: [mapError(DiskFailure, () => new ToolError('of the app'))],
      middleware: [
        (_ctx, next) =>
          next().catch((error: unknown) => {
            seen.push(error);
            throw error;
          }),
      ],
      logger: silent,
    });
    expect(await server.client.callTool('work')).toMatchObject({
      isError: true,
      content: [{ text: 'of the tool' }],
    });
    expect(seen).toEqual([expect.any(DiskFailure)]);
  });
});

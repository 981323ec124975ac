import { expect, test } from '@jest/globals';
import { testApp } from '@sigil/testing';
import { options } from '../../src/app.js';

test('rolls as many dice as it is asked for', async () => {
  await using server = await testApp(options);

  const { structuredContent } = await server.client.callTool('roll_dice', { count: 3, sides: 6 });

  expect(structuredContent).toEqual({
    sides: 6,
    dice: [expect.any(Number), expect.any(Number), expect.any(Number)],
  });
});

test('rolls one die for the view', async () => {
  await using server = await testApp(options);

  const { structuredContent } = await server.client.callTool('roll_die', { sides: 2 });

  expect(structuredContent).toEqual({ value: expect.any(Number) });
});

test('refuses a die with one side', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('roll_dice', { count: 1, sides: 1 });

  expect(result.isError).toBe(true);
});

import { expect, test } from '@jest/globals';
import { testApp } from '@sigil/testing';
import { options } from '../../src/app.js';

test('says who is logged in, and with which scopes', async () => {
  const principal = { id: 'ada', scopes: ['mcp', 'account:read'] };
  await using server = await testApp({ ...options, principal });

  const result = await server.client.callTool('who_am_i');

  expect(result.structuredContent).toEqual(principal);
});

test('needs the scope account:read', async () => {
  await using server = await testApp({ ...options, principal: { id: 'ada', scopes: ['mcp'] } });

  await expect(server.client.callTool('who_am_i')).rejects.toMatchObject({
    code: 403,
    data: { authorization: { scopes: ['account:read'] } },
  });
});

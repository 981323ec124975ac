import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { type Mounted, webHandler } from './fixtures/bridges.js';
import { json, postModern, request } from './fixtures/messages.js';
import { openSession } from './fixtures/session.js';

const ABOUT = { name: 'one', uri: 'note://1', ref: { type: 'ref/prompt', name: 'one' } };
const PARAMS = { ...ABOUT, argument: { name: 'a', value: '' } };

describe('a method of a capability that the server does not have', () => {
  const served: { to?: Mounted } = {};

  beforeAll(async () => {
    served.to = await webHandler.mount(await createApp({ name: 'test', version: '1' }));
  });

  afterAll(() => served.to?.close());

  test.each([
    'tools/list',
    'tools/call',
    'prompts/list',
    'prompts/get',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'completion/complete',
  ])('%s is 404 and -32601, and in a session an answer [checklist 61]', async (method) => {
    const { to } = served;
    if (!to) throw new Error('The app is not mounted');
    const named = ['tools/call', 'prompts/get'].includes(method) ? { 'Mcp-Name': 'one' } : {};
    const headers = { 'Mcp-Name': 'note://1', ...named };
    const response = await postModern(to, method, PARAMS, { id: 'x', headers });
    expect([response.status, await json(response)]).toMatchObject([
      404,
      { id: 'x', error: { code: -32601 } },
    ]);
    const session = await openSession(to);
    const legacy = await session.post(request(method, PARAMS, 2));
    expect([legacy.status, await json(legacy)]).toMatchObject([200, { id: 2, error: { code: -32601 } }]);
  });
});

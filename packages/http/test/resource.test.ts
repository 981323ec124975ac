import { expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import type { Authorization } from '../src/authentication/index.js';
import { http, nodeHandler } from '../src/index.js';
import { recordingLogger } from './fixtures/log.js';

const authorizationOf = (resource: string): Authorization => {
  return () => ({
    resource,
    authorize: () => ({ principal: { id: 'ada' } }),
    insufficientScope: () => ({ status: 403, message: '', headers: {} }),
    document: () => undefined,
  });
};

test.each([
  // The URL itself, and what it begins with, are what clients accept.
  ['https://mcp.example/mcp', '/mcp', false],
  ['https://mcp.example/mcp/', '/mcp', false],
  ['https://mcp.example', '/mcp', false],
  ['https://mcp.example/api', '/api/mcp', false],
  // A proxy may have taken off the beginning, and a router may have matched it.
  ['https://mcp.example/shop/mcp', '/mcp', false],
  ['https://mcp.example/shop', '/', false],
  ['https://mcp.example/acme/mcp', '/:tenant/mcp', false],
  ['https://mcp.example/mcp', '/api', true],
  ['https://mcp.example/mc', '/mcp', true],
  ['https://mcp.example/mcp', '/api/mcp', true],
])('warns of the resource %s at %s: %j', async (resource, path, isWarned) => {
  const { logger, lines } = recordingLogger();
  const app = await createApp({ name: 'shop', version: '1.0.0', logger });
  nodeHandler(app, { authorization: authorizationOf(resource) }).mountedAt(path);
  expect(lines.map(({ level }) => level)).toEqual(isWarned ? ['warn'] : []);
});

test('says at start what to write where the resource is another place than the endpoint', async () => {
  const { logger, lines } = recordingLogger();
  const app = await createApp({ name: 'shop', version: '1.0.0', logger });
  const authorization = authorizationOf('https://mcp.example/mcp');
  const running = await app.run(http({ port: 0, path: '/api/mcp', handleSignals: false, authorization }));
  expect(lines.find(({ level }) => level === 'warn')).toMatchObject({
    details: { resource: 'https://mcp.example/mcp', path: '/api/mcp' },
    message: expect.stringContaining(
      "write resource: 'https://mcp.example/api/mcp', or move the endpoint to /mcp",
    ),
  });
  await running.close();
});

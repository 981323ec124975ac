import { createApp, defineTool } from '@sigil/core';
import { http } from '@sigil/http';
import { readServerOptions } from './options.js';

/** A server with a list of tools that a call changes, and room for many who listen for that. */
const listeners = 20_000;
const change = defineTool({
  name: 'change',
  handle: () => {
    const name = `tool-${crypto.randomUUID()}`;
    app.tools.add(defineTool({ name, handle: () => name }));
    return name;
  },
});

const app = await createApp({
  name: 'bench',
  version: '1.0.0',
  definitions: [change],
  limits: { maxSubscriptions: listeners, maxSubscriptionsPerClient: listeners },
});
await app.run(http({ port: readServerOptions().port, limits: { maxConnections: listeners } }));

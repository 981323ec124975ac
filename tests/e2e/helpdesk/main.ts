import { createApp } from '@sigil/core';
import { http } from '@sigil/http';
import { tokenAuthenticator } from '@sigil/http/authentication';
import { helpdesk } from './app.js';

const app = await createApp(helpdesk);
const { address } = await app.run(
  http({
    port: Number(process.env['PORT'] ?? 3000),
    authenticate: tokenAuthenticator({
      [process.env['AGENT_TOKEN'] ?? '']: { id: 'ada', scopes: ['reader', 'agent'] },
      [process.env['READER_TOKEN'] ?? '']: { id: 'bob', scopes: ['reader'] },
    }),
  }),
);
console.log(`Listens on ${address}`);

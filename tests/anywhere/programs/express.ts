import type { AddressInfo } from 'node:net';
import { expressHandler } from '@sigil/express';
import express from 'express';
import { createStory } from './story.js';

void createStory().then((app) => {
  const server = express()
    .use(expressHandler(app))
    .listen(0, '127.0.0.1', () => {
      console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    });
});

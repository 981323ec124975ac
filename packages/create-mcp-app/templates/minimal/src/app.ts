import { type App, createApp } from '@sigil/core';
import { Greet } from './tools/greet.js';

export function createServer(): Promise<App> {
  return createApp({
    name: 'template-minimal',
    version: '0.1.0',
    services: [Greet],
  });
}

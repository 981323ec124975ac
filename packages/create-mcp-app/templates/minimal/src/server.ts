import { createApp } from '@sigil/core';
import { options } from './app.js';

const app = await createApp(options);
const { address } = await app.run();
// The address is undefined over stdio, where standard output is only for protocol messages.
if (address) console.error(`Listening on ${address}`);

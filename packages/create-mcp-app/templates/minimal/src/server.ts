import { createApp } from '@sigil/core';
import { options } from './app.js';

const app = await createApp(options);
const { address } = await app.run();
// Over stdio there is no address, and standard output belongs to the protocol.
if (address) console.error(`Listening on ${address}`);

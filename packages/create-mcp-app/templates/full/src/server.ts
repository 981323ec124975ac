import { createApp } from '@sigil/core';
import { options } from './app.js';
import { observe } from './telemetry.js';

const app = await createApp(options);
const metrics = await observe(app);
// Serves over stdio, or over HTTP with --http. Arguments and variables set the address.
const { address } = await app.run({ http: { metrics } });
// The address is undefined over stdio, where standard output is only for protocol messages.
if (address) console.error(`Listening on ${address}`);

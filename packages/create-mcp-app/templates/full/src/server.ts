import { createApp } from '@sigil/core';
import { options } from './app.js';
import { observe } from './telemetry.js';

const app = await createApp(options);
const metrics = await observe(app);
// Over stdio, or over HTTP with --http: arguments and variables set the address, and `http` the rest.
const { address } = await app.run({ http: { metrics } });
// Over stdio there is no address, and standard output belongs to the protocol.
if (address) console.error(`Listening on ${address}`);

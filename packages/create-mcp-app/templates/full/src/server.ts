import { createApp } from '@sigil/core';
import { options } from './app.js';
import { chooseRuntime } from './runtime.js';
import { observe } from './telemetry.js';

const app = await createApp(options);
const metrics = await observe(app);
const { address } = await app.run(chooseRuntime(process.argv.slice(2), process.env, metrics));
// Over stdio there is no address, and standard output belongs to the protocol.
if (address) console.error(`Listening on ${address}`);

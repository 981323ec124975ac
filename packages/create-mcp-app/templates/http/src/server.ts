import { existsSync } from 'node:fs';
import { createApp } from '@sigil/core';
import { options } from './app.js';
import { runOptions } from './runtime.js';
import { observe } from './telemetry.js';

// Variables of the environment override those of the file.
const settings = new URL('../.env', import.meta.url);
if (existsSync(settings)) process.loadEnvFile(settings);

const app = await createApp(options);
try {
  const metrics = await observe(app);
  const { address } = await app.run(runOptions(process.env, metrics));
  if (address) console.error(`Listening on ${address}`);
} catch (error) {
  // A wrong argument, a missing variable, a port in use: the message is enough.
  console.error((error as Error).message);
  process.exit(1);
}

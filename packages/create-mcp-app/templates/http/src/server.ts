import { existsSync } from 'node:fs';
import { createApp } from '@sigil/core';
import { options } from './app.js';
import { runOptions } from './runtime.js';
import { observe } from './telemetry.js';

// Variables of the environment take precedence over the file.
const settings = new URL('../.env', import.meta.url);
if (existsSync(settings)) process.loadEnvFile(settings);

const app = await createApp(options);
try {
  const metrics = await observe(app);
  const { address } = await app.run(runOptions(process.env, metrics));
  if (address) console.error(`Listening on ${address}`);
} catch (error) {
  // The message is enough, for example if an argument is wrong or a port is in use.
  console.error((error as Error).message);
  process.exit(1);
}

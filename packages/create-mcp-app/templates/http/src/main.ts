import { createApp } from '@sigil/core';
import { options } from './app.js';
import { chooseRuntime } from './runtime.js';

const app = await createApp(options);
try {
  const { address } = await app.run(chooseRuntime(process.argv.slice(2), process.env));
  if (address) console.error(`Listening on ${address}`);
} catch (error) {
  // A wrong argument, a missing token, a port in use: the message says all there is to say.
  console.error((error as Error).message);
  process.exit(1);
}

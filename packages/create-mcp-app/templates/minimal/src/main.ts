import { createServer } from './app.js';

const app = await createServer();
const { address } = await app.run();
// Over stdio there is no address, and standard output belongs to the protocol.
if (address) console.error(`Listening on ${address}`);

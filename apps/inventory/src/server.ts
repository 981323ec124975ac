import { parseArgs } from 'node:util';
import { chooseBackend } from './choose-backend.js';
import { createInventory } from './create-inventory.js';
import { FileDatabase } from './database/file-database.js';
import { howToCall } from './how-to-call.js';
import { observe, watched } from './telemetry.js';

const args = process.argv.slice(2);
const { values } = parseArgs({ args, strict: false, options: { database: { type: 'string' } } });
const file = typeof values.database === 'string' ? values.database : undefined;

const app = await createInventory(() => FileDatabase.open(file), {
  ...(await chooseBackend(args, process.env)),
  ...watched(process.env),
});
await observe(app, process.env);
const running = await app.run();
// Over stdio there is no address, and standard output belongs to the protocol.
if (running.address) console.log(howToCall(running.address));

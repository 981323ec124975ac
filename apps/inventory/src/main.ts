import { createInventory } from './create-inventory.js';
import { howToCall } from './how-to-call.js';

const app = await createInventory();
const running = await app.run();
// Over stdio there is no address, and standard output belongs to the protocol.
if (running.address) console.log(howToCall(running.address));

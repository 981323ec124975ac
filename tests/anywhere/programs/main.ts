import { createStory } from './story.js';

const app = await createStory();
const running = await app.run();
// Over stdio there is none, and standard output belongs to the protocol.
if (running.address) console.log(running.address);

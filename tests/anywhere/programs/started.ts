import { createStory } from './story.js';

/** Awaits within a function: a bundle whose chunks import the entry back would wait for itself otherwise. */
async function start(): Promise<void> {
  const app = await createStory();
  const running = await app.run();
  if (running.address) console.log(running.address);
}

void start();

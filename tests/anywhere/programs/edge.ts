import { fetchHandler } from '@sigil/http/fetch';
import { createStory } from './story.js';

/** What of the edge runtime is used here. */
declare function addEventListener(
  type: 'fetch',
  listener: (event: { request: Request; respondWith(response: Promise<Response>): void }) => void,
): void;

const made = createStory().then((app) => fetchHandler(app));
addEventListener('fetch', (event) => event.respondWith(made.then((handler) => handler(event.request))));

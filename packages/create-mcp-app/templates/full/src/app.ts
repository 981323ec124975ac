import type { AppOptions } from '@sigil/core';
import { logDuration } from './middleware/log-duration.js';

export const options: AppOptions = {
  name: 'template-full',
  version: '0.1.0',
  instructions: 'The lending desk of a library. Search for books before lending them.',
  // Every class that these folders export is served, once it is compiled; there is nothing to register.
  discover: new URL('./{tools,resources,prompts}/**/*.js', import.meta.url),
  middleware: [logDuration],
};

import type { AppOptions } from '@sigil/core';

export const options: AppOptions = {
  name: 'template-http',
  version: '0.1.0',
  // The server serves every class that the compiled files in these folders export. No registration is needed.
  discover: new URL('./{tools,resources,prompts}/**/*.js', import.meta.url),
};

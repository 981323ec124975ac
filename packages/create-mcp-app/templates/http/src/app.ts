import type { AppOptions } from '@sigil/core';

export const options: AppOptions = {
  name: 'template-http',
  version: '0.1.0',
  // Every class that these folders export is served, once it is compiled; there is nothing to register.
  discover: new URL('./{tools,resources,prompts}/**/*.js', import.meta.url),
};

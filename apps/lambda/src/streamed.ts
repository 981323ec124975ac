import { lambdaStreamHandler } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** Behind a Function URL whose invoke mode is RESPONSE_STREAM. */
export const handler: ReturnType<typeof lambdaStreamHandler> = lambdaStreamHandler(createClimate, {
  allowedHosts: hosts,
});

import { lambdaStreamHandler } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** The function for a Function URL with the invoke mode `RESPONSE_STREAM`. */
export const handler: ReturnType<typeof lambdaStreamHandler> = lambdaStreamHandler(createClimate, {
  allowedHosts: hosts,
});

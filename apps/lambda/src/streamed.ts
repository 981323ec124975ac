import { lambdaStreamHandler } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** The Lambda function for a function URL with the invoke mode `RESPONSE_STREAM`. */
export const handler: ReturnType<typeof lambdaStreamHandler> = lambdaStreamHandler(createClimate, {
  allowedHosts: hosts,
});

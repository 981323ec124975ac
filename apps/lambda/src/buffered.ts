import { lambdaHandler } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** Behind an HTTP API of API Gateway, which waits for the whole answer. */
export const handler: ReturnType<typeof lambdaHandler> = lambdaHandler(createClimate, {
  allowedHosts: hosts,
});

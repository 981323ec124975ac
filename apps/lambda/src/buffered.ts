import { lambdaHandler } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** The Lambda function for an HTTP API of API Gateway. The gateway waits for the complete response. */
export const handler: ReturnType<typeof lambdaHandler> = lambdaHandler(createClimate, {
  allowedHosts: hosts,
});

import { lambdaStreamHandler, type LambdaStreamFunction } from '@sigil/lambda';
import { createClimate, hosts } from './climate.js';

/** Behind a Function URL whose invoke mode is RESPONSE_STREAM. */
export const handler: LambdaStreamFunction = lambdaStreamHandler(createClimate, { allowedHosts: hosts });

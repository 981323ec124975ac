export {
  lambdaHandler,
  type LambdaFunction,
  lambdaStreamHandler,
  type LambdaStreamFunction,
} from './lambda-handlers.js';
export type { LambdaContext, LambdaEvent, LambdaHead, LambdaResult } from './events.js';

export { lambdaHandler, lambdaStreamHandler, type LambdaResult } from './lambda-handlers.js';

/** Serves web requests without Node: for Workers and other edge platforms. */

export {
  type AppMount,
  fetchHandler,
  type FetchHandler,
  type Hosted,
  type HostHandler,
  hostHandler,
  type HostOptions,
} from './fetch-handler.js';
export { endpointPath } from './check-options.js';
export { answerInTime, type TimeLimit } from './time-limit.js';

/*
 * What serves the web's requests and needs nothing of Node: for Workers and other edges.
 */

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

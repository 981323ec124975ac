// Connecting
export { connect, type ConnectOptions } from './connect.js';
export type { Answers, ElicitRequest } from './answers.js';

// An app and a client in one
export { testApp, TestApp, type LogLine, type TestAppOptions } from './test-app.js';

// The client
export {
  TestClient,
  textOf,
  type CompletionReference,
  type DiscoverResult,
  type ResourceDescriptor,
  type ResourceTemplateDescriptor,
  type ServerFacts,
} from './test-client.js';
export type { CallOptions, Progress } from './caller.js';
export type { Notification } from './notification-log.js';
export type { Listening, ListenFilter } from './listen.js';
